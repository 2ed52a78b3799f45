using Ambrosia;
using Ambrosia.ForeignPeer;

return Environment.GetEnvironmentVariable("FOREIGN_PEER") == "tally" ? await Immortal.RunAsync<Tally>(args)
    : await Immortal.RunAsync<Ledger>(args);
