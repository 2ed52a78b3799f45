using System.Runtime.Serialization;

namespace Ambrosia.DurableScenarios;

// State of one version of an application, and (VARIANT_EVOLVED) of the next. They stand together, since each is only read with the others.
#if VARIANT_EVOLVED
public sealed class Evolving
{
    public int Kept;
    public string Added = "initial";
    [DataMember(Name = "OldName")]
    public string NewName = "";
    public Part Part = new();
    public Spot[] Spots = [];
    public List<Part> Parts = [];
    public string? Shared;

    public override string ToString() =>
        $"{Kept} {Added} {NewName} {Part.Weight} {Part.Color} {string.Join(",", Spots.Select(s => $"{s.X}/{s.Z}"))} {Parts.Count} "
        + $"{ReferenceEquals(Part, Parts[0])} {Shared?.Length}";
}

public sealed class Part
{
    public int Color = 7;
    public double Weight;
}

public struct Spot
{
    public int Z;
    public int X;
}

public sealed class Retyped
{
    public long Number;
}

public sealed class NewName;

public sealed class UsesRenamed
{
    public object? Gone;
    public int Kept;

    public override string ToString() => $"{Kept} {Gone}";
}
#else
public sealed class Evolving
{
    public Removed? Gone = new() { Inside = new Part
        { Weight = 3 }, List = [new Removed()], Array = [new RemovedStruct { A = 1, B = "b" }], More = new() { ["k"] = new Removed() } };
    public int Kept = 5;
    public string OldName = "renamed";
    public Part? Part;
    public Spot[] Spots = [new Spot { X = 1, Y = "y" }, new Spot { X = 2, Y = null }];
    public List<Part> Parts = [];
    public RemovedStruct Value = new() { A = 5, B = "c" };
    public string? Shared;

    public Evolving()
    {
        Gone.Text = Shared = new string('s', 100);
        Part = Gone.Inside;
        Parts.Add(Part);
    }
}

public sealed class Removed
{
    public Part? Inside;
    public List<Removed> List = [];
    public RemovedStruct[] Array = [];
    public DurableDictionary<string, Removed> More = [];
    public string? Text;
    public RemovedEnum? Kind = RemovedEnum.B;
    public DurableTask<Removed> Task;
    public Exception Error = new RemovedException();
}

public sealed class RemovedException : Exception;

public enum RemovedEnum : byte
{
    A,
    B,
}

public struct RemovedStruct
{
    public int A;
    public string? B;
}

public sealed class Part
{
    public double Weight;
    public RemovedStruct Extra;
}

public struct Spot
{
    public int X;
    public string? Y;
}

public sealed class Retyped
{
    public int Number = 1;
}

public sealed class OldName
{
    public OldName? Next;
}

public sealed class UsesRenamed
{
    public object? Gone = new OldName { Next = new OldName() };
    public int Kept = 6;
}
#endif
