using System.Globalization;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// How often each cell was hit and each sighting made in a run that was measured: what a run of another size may be expected to do. The
/// file is a report as a run prints it.
/// </summary>
internal sealed class SimMeasure
{
    // Below it everything may be chance: what one schedule does it does many times.
    private const int SmallestRun = 1000;

    // So many belong to some independent schedules at least: none at all is no accident.
    private const double Enough = 40;
    private readonly Dictionary<(SimFault Fault, SimState State), long> _hits = [];
    private readonly Dictionary<Sighting, long> _sightings = [];
    private readonly double _schedules;

    private SimMeasure(string[] lines)
    {
        _schedules = Number(lines[0].Split(' ')[0]);
        foreach (string line in lines[1..])
        {
            if (line.StartsWith("seen:", StringComparison.Ordinal))
            {
                ReadSightings(line["seen:".Length..]);
            }
            else if (!line.StartsWith("fault", StringComparison.Ordinal) && line.Length > 0)
            {
                ReadHits(line.Split(' ', StringSplitOptions.RemoveEmptyEntries));
            }
        }
    }

    /// <summary>The one that is kept in the repository.</summary>
    public static SimMeasure Kept { get; } = Read();

    /// <summary>Whether a run of this size must have hit the cell.</summary>
    public bool Expects(SimFault fault, SimState state, long schedules) => IsEnough(_hits.GetValueOrDefault((fault, state)), schedules);

    /// <summary>Whether a run of this size must have seen it.</summary>
    public bool Expects(Sighting what, long schedules) => IsEnough(_sightings.GetValueOrDefault(what), schedules);

    private bool IsEnough(long measured, long schedules) => schedules >= SmallestRun && measured * (schedules / _schedules) >= Enough;

    private void ReadHits(string[] columns)
    {
        SimState[] states = Enum.GetValues<SimState>();
        for (int i = 0; i < states.Length; i++)
        {
            // The first column is the fault, the second counts all states together.
            _hits[(Enum.Parse<SimFault>(columns[0]), states[i])] = columns[i + 2] == "-" ? 0 : Number(columns[i + 2]);
        }
    }

    private void ReadSightings(string list)
    {
        foreach (string[] one in list.Split(',').Select(static one => one.Trim().Split(' ')))
        {
            _sightings[Enum.Parse<Sighting>(one[0])] = Number(one[1]);
        }
    }

    private static SimMeasure Read()
    {
        using var reader = new StreamReader(typeof(SimMeasure).Assembly.GetManifestResourceStream("Measured.txt")!);
        return new SimMeasure(reader.ReadToEnd().Split('\n'));
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
