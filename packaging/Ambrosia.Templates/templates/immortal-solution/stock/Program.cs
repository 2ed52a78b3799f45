using Ambrosia;

return await Immortal.RunAsync<Solution_1.Stock>(args);
