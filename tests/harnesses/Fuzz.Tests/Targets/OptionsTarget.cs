using System.Text;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>
/// The coordinator's options, from a configuration file or (a first byte of '-') a command line with one argument per line. Whatever is
/// wrong becomes a sentence with a code; what is right survives being shown and read again.
/// </summary>
internal sealed class OptionsTarget : FuzzTarget
{
    public override string Name => "options";

    public override int Weight => 1;

    public override int Largest => 1024;

    public override long AllocationBase => 512 * 1024;

    public override int AllocationFactor => 512;

    public override IReadOnlyList<byte[]> Words =>
    [
        .. OptionDefinitions.All.Select(static option => Encoding.UTF8.GetBytes($"\"{option.Name}\":")),
        .. OptionDefinitions.All.Select(static option => Encoding.UTF8.GetBytes($"\n--{option.Name}\n")),
        .. """null|true|{}|[]|""|-1|0|"64KiB"|"1.5GiB"|"99999999999999999999TiB"|"count:2"|"size:1GiB"|"all"|"3s"|"99999999999999999999h"|"0ms"|"tcp:[::1]:80"|"unix:/a"|"pipe:a"|":::::"|"\ud800"|"\u0000"|"Ambrosia":{|=|--|//|/*|"off"|"file:"|"memory:"|1e400|,}""".Split('|').Select(Encoding.UTF8.GetBytes),
    ];

    public override IEnumerable<byte[]> Seeds() =>
    [
        """{ "Ambrosia": { "instance-name": "bank", "store": "file:/var/lib/ambrosia", "max-lag": "64MiB", "heartbeat": "500ms", "owner-pipe": true, "receive-port": 5000 } } // comment"""u8.ToArray(),
        """{ "InstanceName": "bank", "retain": "count:3", "binding-socket": "/run/a.sock", "peer-address": "tcp:[::1]:4000", "advertise": "host:0", "admin": "off", "start": "create", }"""u8.ToArray(),
        "--instance-name=bank\n--store\n/data\n--max-message-size=1MiB\n--owner-pipe\n--log-level\ndebug\n--retain=size:10GiB"u8.ToArray(),
        "--no-such\nvalue\n--store=memory:\n--store=memory:\nstray\n--heartbeat"u8.ToArray(),
        "--binding-socket="u8.ToArray(),
        "[1]"u8.ToArray(),
        "{"u8.ToArray(),
    ];

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        var errors = new List<OptionError>();
        Dictionary<string, OptionValue> values = [];
        if (input.Length > 0 && input.Span[0] == (byte)'-')
        {
            CommandLine line = CommandLine.Parse(Encoding.UTF8.GetString(input.Span).Split('\n'));
            errors.AddRange(line.Errors);
            values = line.Values;
        }
        else
        {
            ConfigurationFile.Parse("file.json", input, values, errors);
        }

        var options = new CoordinatorOptions { InstanceName = "bank" };
        foreach ((string name, OptionValue value) in values)
        {
            OptionDefinition option = OptionDefinitions.Find(name)!;
            if (option.Apply(options, value.Text) is { } advice)
            {
                errors.Add(new OptionError(ProcessErrors.BadOptionValue, "not a value of this option", name, advice));
            }
            else
            {
                RequireShown(option, options);
            }
        }

        errors.AddRange(errors.Count == 0 ? CoordinatorOptionsValidator.Validate(options) : []);
        Require(errors.All(static error => error.Code.StartsWith("IC-10", StringComparison.Ordinal) && error.What.Length > 0
            && error.Advice.Length > 0), "what is wrong is said in a sentence with a code");
        return errors.Count == 0 ? Accepted : errors[0].Code;
    }

    private static void RequireShown(OptionDefinition option, CoordinatorOptions options)
    {
        string shown = option.Show(options);
        var again = new CoordinatorOptions { InstanceName = "bank" };
        Require(shown.Length > 0 && option.Apply(again, shown) is null
            && option.Show(again) == shown, $"what --print-config shows of {option.Name} can be given as its value");
    }
}
