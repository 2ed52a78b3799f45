using System.Buffers;
using System.Diagnostics;
using System.Reflection;
using Ambrosia.DurableScenarios;
using Ambrosia.Runtime;

// record <folder>               save every scenario at every await, with both plans, and what the uninterrupted run gave
// resume <folder> <emit|reflect> load every file, deliver the missing replies, compare; prints one line per failure, then a count
// chain <emit|reflect>          every scenario with a save and a load after every reply, against the uninterrupted run
// save-evolving <3 files>       the state of one version of an application; load-evolving: read it with another
// measure <handlers>            what it costs, and what that many suspended ones do
Turn turn = new();
Stopwatch watch = Stopwatch.StartNew();
string[] names = [.. typeof(Scenarios).GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
    .Where(method => method.ReturnType == typeof(Ambrosia.DurableTask<string>) && method.GetParameters().Length == 0
        && !method.IsGenericMethod).Select(method => method.Name)];
switch (args[0])
{
    case "record":
        Record(args[1]);
        break;
    case "resume":
        Resume(args[1], args[2] == "emit");
        break;
    case "chain":
        Chain(args[1] == "emit");
        break;
    case "save-evolving":
        File.WriteAllBytes(args[1], Save(new Evolving()));
        File.WriteAllBytes(args[2], Save(new Retyped()));
        File.WriteAllBytes(args[3], Save(new UsesRenamed()));
        break;
    case "load-evolving":
        Console.WriteLine(Load(args[1]));
        Console.WriteLine(Load(args[2]));
        Console.WriteLine(Load(args[3]));
        break;
    case "measure":
        new Measurements(turn, int.Parse(args[1], System.Globalization.CultureInfo.InvariantCulture)).Run();
        break;
    default:
        throw new ArgumentException($"Unknown command {args[0]}.");
}
Console.WriteLine($"time {watch.ElapsedMilliseconds} ms");

static byte[] Save(object state)
{
    ArrayBufferWriter<byte> writer = new();
    GraphWriter.Write(writer, [state], World.Options(emit: true));
    return writer.WrittenSpan.ToArray();
}

static string Load(string file)
{
    try
    {
        return $"{GraphReader.Read(new ReadOnlySequence<byte>(File.ReadAllBytes(file)), [], World.Options(emit: true))[0]}";
    }
    catch (Ambrosia.CannotResumeException e)
    {
        return $"REFUSED {string.Join(" ; ", e.Refusals)}";
    }
}

void Record(string folder)
{
    int files = 0;
    foreach (string name in names)
    {
        World world = World.Start(name, new Scenarios(), turn);
        while (world.IsRunning)
        {
            File.WriteAllBytes(Path.Combine(folder, $"{name}.{world.Step:D2}.state"), world.Save(emit: true));
            byte[] reflected = world.Save(emit: false);
            if (!reflected.AsSpan().SequenceEqual(world.Save(emit: true)))
            {
                Console.WriteLine($"FAIL {name}.{world.Step}: the plans write different bytes");
            }
            files++;
            world.Deliver(turn);
        }
        File.WriteAllText(Path.Combine(folder, $"{name}.expected"), world.Summary);
        if (world.Result is null)
        {
            Console.WriteLine($"FAIL {name}: no result; {world.Summary}");
        }
    }
    Console.WriteLine($"scenarios {names.Length}");
    Console.WriteLine($"files {files}");
}

void Resume(string folder, bool emit)
{
    int good = 0;
    foreach (string file in Directory.GetFiles(folder, "*.state").Order(StringComparer.Ordinal))
    {
        string name = Path.GetFileName(file).Split('.')[0];
        try
        {
            World world = World.Load(File.ReadAllBytes(file), emit);
            while (world.IsRunning)
            {
                world.Deliver(turn);
            }
            string expected = File.ReadAllText(Path.Combine(folder, $"{name}.expected"));
            if (world.Summary == expected)
            {
                good++;
            }
            else
            {
                Console.WriteLine($"FAIL {Path.GetFileName(file)}\n  expected {expected}\n  actual   {world.Summary}");
            }
        }
        catch (Ambrosia.CannotResumeException e)
        {
            Console.WriteLine($"REFUSED {Path.GetFileName(file)} {string.Join(" ; ", e.Refusals)}");
        }
        catch (Exception e)
        {
            Console.WriteLine($"FAIL {Path.GetFileName(file)} {e}");
        }
    }
    Console.WriteLine($"good {good}");
}

void Chain(bool emit)
{
    int good = 0;
    foreach (string name in names)
    {
        World plain = World.Start(name, new Scenarios(), turn);
        while (plain.IsRunning)
        {
            plain.Deliver(turn);
        }
        World chained = World.Start(name, new Scenarios(), turn);
        while (chained.IsRunning)
        {
            chained = World.Load(chained.Save(emit), emit);
            chained.Deliver(turn);
        }
        if (plain.Summary == chained.Summary)
        {
            good++;
        }
        else
        {
            Console.WriteLine($"FAIL {name}\n  expected {plain.Summary}\n  actual   {chained.Summary}");
        }
    }
    Console.WriteLine($"good {good} of {names.Length}");
}
