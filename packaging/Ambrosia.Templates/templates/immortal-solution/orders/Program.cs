using Ambrosia;

return await Immortal.RunAsync<NamespaceOfName.Orders>(args);
