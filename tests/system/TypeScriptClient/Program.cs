using Ambrosia;
using TypeScriptClient;

// The app that the clients of the tests call. Its coordinator is a process of its own.
return await Immortal.RunAsync<Shop>(args);
