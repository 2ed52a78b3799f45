using Ambrosia;

return await Immortal.RunAsync<NamespaceOfName.Stock>(args);
