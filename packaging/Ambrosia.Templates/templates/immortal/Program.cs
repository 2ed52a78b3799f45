using Ambrosia;

// The coordinator is started beside this process. Kill either with kill -9 and run it again: the total is what it was.
return await Immortal.RunAsync<NamespaceOfName.Counter>(args, static options => options.InstanceName = "instance-of-name");
