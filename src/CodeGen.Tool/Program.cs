using Ambrosia.CodeGen.Tool;

return await CommandTree.Create(Console.Out, Console.Error).Parse(args).InvokeAsync();
