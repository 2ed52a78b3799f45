// The receiving process of the gRPC baseline: echoes single calls, counts streams. Ends with its standard input.
#include <grpcpp/grpcpp.h>

#include <iostream>
#include <string>

#include "bench.grpc.pb.h"

using ambrosia::bench::Bench;
using ambrosia::bench::Count;
using ambrosia::bench::Payload;

class Service final : public Bench::CallbackService {
  grpc::ServerUnaryReactor* Echo(grpc::CallbackServerContext* context, const Payload* request, Payload* reply) override {
    *reply = *request;
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  grpc::ServerReadReactor<Payload>* Take(grpc::CallbackServerContext*, Count* reply) override {
    class Reader final : public grpc::ServerReadReactor<Payload> {
     public:
      explicit Reader(Count* reply) : reply_(reply) { StartRead(&message_); }
      void OnReadDone(bool ok) override {
        if (!ok) {
          reply_->set_messages(count_);
          Finish(grpc::Status::OK);
          return;
        }
        ++count_;
        StartRead(&message_);
      }
      void OnDone() override { delete this; }

     private:
      Count* reply_;
      Payload message_;
      int64_t count_ = 0;
    };
    return new Reader(reply);
  }
};

int main(int, char** arguments) {
  Service service;
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  builder.AddListeningPort(arguments[1], grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  auto server = builder.BuildAndStart();
  std::cout << "ready" << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  _exit(0);
}
