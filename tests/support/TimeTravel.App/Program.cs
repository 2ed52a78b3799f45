using Ambrosia;
using TimeTravelApp;

// The first argument says in what the immortal is not deterministic.
Mood.Default = Enum.Parse<Fickleness>(args[0], ignoreCase: true);
return await Immortal.RunAsync<Dice>(args[1..]);
