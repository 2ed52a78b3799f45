using Ambrosia;
using Ambrosia.ForeignPeer;

return await Immortal.RunAsync<Ledger>(args);
