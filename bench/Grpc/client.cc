// The sending process of the gRPC baseline. Commands on standard input, outcomes as lines of JSON:
//   unary SIZE OUTSTANDING SECONDS     single calls, so many under way at a time
//   stream SIZE HINT SECONDS           one client stream; HINT 1 sets the buffer hint on every write
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "bench.grpc.pb.h"

using ambrosia::bench::Bench;
using ambrosia::bench::Count;
using ambrosia::bench::Payload;
using Clock = std::chrono::steady_clock;

static double Seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

struct Calls {
  Bench::Stub* stub;
  Payload request;
  Clock::time_point start = Clock::now();
  double seconds;
  bool timed;
  std::atomic<int> open{0};
  std::atomic<long> done{0};
  std::vector<double> times;
  std::mutex gate;
  std::condition_variable ended;

  void Begin() {
    auto* context = new grpc::ClientContext();
    auto* reply = new Payload();
    auto begun = Clock::now();
    stub->async()->Echo(context, &request, reply, [this, context, reply, begun](grpc::Status status) {
      if (!status.ok()) {
        std::cerr << status.error_message() << std::endl;
        _exit(1);
      }
      if (timed) times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begun).count());
      delete context;
      delete reply;
      ++done;
      if (Seconds(start) < seconds) {
        Begin();
      } else if (--open == 0) {
        std::lock_guard<std::mutex> lock(gate);
        ended.notify_all();
      }
    });
  }
};

static std::string Percentiles(std::vector<double>& times) {
  if (times.empty()) return "null";
  std::sort(times.begin(), times.end());
  auto at = [&](double share) { return times[(size_t)((times.size() - 1) * share)]; };
  std::ostringstream out;
  out << "{\"Count\":" << times.size() << ",\"P50\":" << at(0.5) << ",\"P90\":" << at(0.9) << ",\"P99\":" << at(0.99) << ",\"P999\":" << at(0.999) << ",\"Max\":" << times.back() << "}";
  return out.str();
}

static void Answer(long messages, double seconds, const std::string& percentiles) {
  std::cout << "answer {\"Messages\":" << messages << ",\"Seconds\":" << seconds << ",\"RoundTrips\":" << percentiles << "}" << std::endl;
}

static void Unary(Bench::Stub* stub, int size, int outstanding, double seconds) {
  Calls calls;
  calls.stub = stub;
  calls.request.set_data(std::string(size, 'x'));
  calls.seconds = seconds;
  calls.timed = outstanding == 1;
  calls.open = outstanding;
  for (int i = 0; i < outstanding; i++) calls.Begin();
  {
    std::unique_lock<std::mutex> lock(calls.gate);
    calls.ended.wait(lock, [&] { return calls.open == 0; });
  }
  Answer(calls.done, Seconds(calls.start), Percentiles(calls.times));
}

static void Stream(Bench::Stub* stub, int size, bool hint, double seconds) {
  grpc::ClientContext context;
  Count count;
  Payload payload;
  payload.set_data(std::string(size, 'x'));
  auto start = Clock::now();
  auto writer = stub->Take(&context, &count);
  grpc::WriteOptions options;
  if (hint) options.set_buffer_hint();
  for (long sent = 0; (sent & 15) != 0 || Seconds(start) < seconds; sent++) {
    if (!writer->Write(payload, options)) break;
  }
  writer->WritesDone();
  if (auto status = writer->Finish(); !status.ok()) {
    std::cerr << status.error_message() << std::endl;
    _exit(1);
  }
  Answer(count.messages(), Seconds(start), "null");
}

int main(int, char** arguments) {
  grpc::ChannelArguments options;
  options.SetMaxReceiveMessageSize(-1);
  auto channel = grpc::CreateCustomChannel(arguments[1], grpc::InsecureChannelCredentials(), options);
  auto stub = Bench::NewStub(channel);
  std::cout << "ready" << std::endl;
  std::string line, command;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    int size, number;
    double seconds;
    words >> command >> size >> number >> seconds;
    if (command == "unary") {
      Unary(stub.get(), size, number, seconds);
    } else {
      Stream(stub.get(), size, number != 0, seconds);
    }
  }
  _exit(0);
}
