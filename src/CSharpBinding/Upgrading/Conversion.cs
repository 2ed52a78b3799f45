namespace Ambrosia.Upgrading;

/// <summary>One registered step between two classes of an immortal's state.</summary>
/// <param name="From">Class that the state is of.</param>
/// <param name="To">Class that it becomes.</param>
/// <param name="Create">A fresh object of the first, made with the app's services.</param>
/// <param name="Convert">The user's code, which is given the app's services.</param>
internal sealed record Conversion(
    Type From, Type To, Func<IServiceProvider, Immortal> Create, Func<Immortal, IServiceProvider, Immortal> Convert)
{
    /// <summary>The shortest chain of steps between two classes; null if there is none, empty if they are one.</summary>
    public static IReadOnlyList<Conversion>? Path(IReadOnlyList<Conversion> known, string from, string to)
    {
        var paths = new Queue<(string At, List<Conversion> Steps)>([(from, [])]);
        var seen = new HashSet<string> { from };
        while (paths.TryDequeue(out (string At, List<Conversion> Steps) path))
        {
            if (path.At == to)
            {
                return path.Steps;
            }

            foreach (Conversion step in known.Where(step => NameOf(step.From) == path.At && seen.Add(NameOf(step.To))))
            {
                paths.Enqueue((NameOf(step.To), [.. path.Steps, step]));
            }
        }

        return null;
    }

    /// <summary>The name that stands for a class in checkpoints, records and messages.</summary>
    public static string NameOf(Type type) => type.FullName ?? type.Name;
}
