#!/usr/bin/env bash
# Builds the C++ gRPC baseline into the given folder; installs Debian's packages with apt-get when they are missing. Ends with 69 if that is impossible.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
out="$1"
if [ -x "$out/client" ] && [ "$out/client" -nt "$here/client.cc" ] && [ "$out/server" -nt "$here/server.cc" ]; then exit 0; fi
if ! command -v grpc_cpp_plugin >/dev/null || ! command -v protoc >/dev/null || ! command -v g++ >/dev/null || ! pkg-config --exists grpc++ protobuf 2>/dev/null; then
  sudo=""
  if [ "$(id -u)" -ne 0 ]; then sudo="sudo -n"; fi
  echo "Installing libgrpc++-dev, libprotobuf-dev, protobuf-compiler-grpc, g++ and pkg-config" >&2
  { $sudo apt-get update -q && $sudo apt-get install -y -q --no-install-recommends libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc protobuf-compiler g++ pkg-config; } >&2 </dev/null \
    || { echo "C++ gRPC is not there and cannot be installed: that baseline is left out." >&2; exit 69; }
fi
mkdir -p "$out"
cd "$out"
protoc -I "$here" --cpp_out=. --grpc_out=. --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" "$here/bench.proto"
flags=(-O2 -std=c++17 -I. $(pkg-config --cflags grpc++ protobuf))
libraries=($(pkg-config --libs grpc++ protobuf) -lpthread)
g++ "${flags[@]}" -c bench.pb.cc bench.grpc.pb.cc
for program in server client; do g++ "${flags[@]}" "$here/$program.cc" bench.pb.o bench.grpc.pb.o "${libraries[@]}" -o "$program"; done
