using Ambrosia;

return await Immortal.RunAsync<Solution_1.Orders>(args);
