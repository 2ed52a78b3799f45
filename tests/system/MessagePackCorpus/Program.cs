using Ambrosia.MessagePackCorpus;

// Our side of the comparison with @msgpack/msgpack; run-with-node.sh drives both. A corpus file is a row of values, each preceded by its
// length (4 bytes, little-endian).
switch (args)
{
    case ["write", string file, string seed, string count]:
        Corpus.Write(file, RandomValues.Make(int.Parse(seed, null), int.Parse(count, null)));
        return 0;
    case ["rewrite", string source, string target]:
        Corpus.Write(target, Corpus.Read(source).Select(AnyValue.Rewrite));
        return 0;
    case ["write-orders", string file, string seed, string count]:
        Corpus.Write(file, Orders.Make(int.Parse(seed, null), int.Parse(count, null)).Select(Orders.Encode));
        return 0;
    case ["check-orders", string file, string seed, string count]:
        return Orders.Check(Corpus.Read(file), int.Parse(seed, null), int.Parse(count, null));
    default:
        Console.Error.WriteLine("write|write-orders|check-orders FILE SEED COUNT, or rewrite SOURCE TARGET");
        return 64;
}
