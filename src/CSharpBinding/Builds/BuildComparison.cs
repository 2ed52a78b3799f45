namespace Ambrosia.Builds;

/// <summary>Compares the build that saved a checkpoint with the one that loads it (docs/guide/builds.md, "The table of edits").</summary>
internal sealed class BuildComparison
{
    private readonly BuildManifest _old;
    private readonly BuildManifest _present;

    public BuildComparison(BuildManifest old, BuildManifest present)
    {
        (_old, _present) = (old, present);
        foreach (BuildMethod method in old.Methods.Values)
        {
            if (Of(method) is { } difference)
            {
                Methods[method.Id] = difference;
            }
        }

        Added = [.. present.Methods.Values.Where(method => !old.Methods.ContainsKey(method.Id)).Select(static method => method.Call)];
    }

    /// <summary>What differs in methods, by their ids: for messages that were executed.</summary>
    public Dictionary<int, BuildDifference> Methods { get; } = [];

    /// <summary>Methods that the old build did not have.</summary>
    public IReadOnlyList<string> Added { get; }

    /// <summary>Packages of other versions: their code is not compared, so whether it does the same is not known.</summary>
    public IReadOnlyList<string> Packages => !_old.Types.TryGetValue(BuildType.Packages, out BuildType? then)
        || !_present.Types.TryGetValue(BuildType.Packages, out BuildType? now) ? []
        :
        [
            .. then.Members.Where(package => now.Members.GetValueOrDefault(package.Key) is { } version && version != package.Value)
                .Select(package => $"{package.Key} was {package.Value} and is {now.Members[package.Key]} now")
                .Order(StringComparer.Ordinal),
        ];

    /// <summary>
    /// What became of the code that wrote, and of the code that reads, what is saved beside the fields; null if it is the same.
    /// </summary>
    /// <param name="owner">The immortal's class, for people.</param>
    public string? OfOwnFormat(string owner)
    {
        // Builds of older releases do not say.
        if (!_old.Types.TryGetValue(BuildType.OwnFormat, out BuildType? then))
        {
            return null;
        }

        string[] changed = _present.Types.TryGetValue(BuildType.OwnFormat, out BuildType? now)
            ? [.. then.Members.Where(half => now.Members.GetValueOrDefault(half.Key) != half.Value).Select(static half => half.Key)]
            : [.. then.Members.Keys];
        return changed.Length == 0 ? null : $"what {owner}.OnSave wrote beside the fields was written by other code: "
            + $"{string.Join(" and ", changed.Order(StringComparer.Ordinal))} changed. If OnRestore reads it all the same, accept it";
    }

    /// <summary>A handler whose code changed and that awaits: what a reply resumes may be its code. Null if there is none.</summary>
    public BuildDifference? OfSuspended => _old.Methods.Values
        .Where(method => method.Awaits && _present.Methods.GetValueOrDefault(method.Id) is { } now && IsOtherCode(method, now))
        .Select(static method => new BuildDifference(BuildDifferenceKind.OtherCode,
            $"{method.Call}, in which a call may be suspended, does something else now"))
        .FirstOrDefault()
        ?? _old.Methods.Values.Where(static method => method.Awaits).Select(OfTypes).FirstOrDefault(static found => found is not null);

    /// <summary>What became of an enum whose values were saved; null if they still mean the same.</summary>
    public string? OfSavedEnum(string name) =>
        _old.Types.TryGetValue(name, out BuildType? saved) && _present.Types.TryGetValue(name, out BuildType? now)
            ? OfMembers(name, saved, now) : null;

    private BuildDifference? Of(BuildMethod old)
    {
        if (!_present.Methods.TryGetValue(old.Id, out BuildMethod? now))
        {
            BuildMethod? namesake = _present.Methods.Values.FirstOrDefault(method => method.Name == old.Name
                && !_old.Methods.ContainsKey(method.Id));
            string hint = namesake is null ? "" : $"; new: {namesake.Call}";
            return new BuildDifference(
                BuildDifferenceKind.Lost,
                $"{old.Call} is not in this build{hint}. Keep it, or give its number to the method that does the same now: "
                    + $"[MethodId({old.Id})]");
        }

        if (old.Call[old.Name.Length..] != now.Call[now.Name.Length..])
        {
            return new BuildDifference(BuildDifferenceKind.Lost,
                $"{old.Call} takes other arguments now: {now.Call}. Keep the old method beside the new one");
        }

        return OfTypes(old)
            ?? (IsOtherCode(old, now) ? new BuildDifference(BuildDifferenceKind.OtherCode, $"{old.Call} does something else now") : null);
    }

    private BuildDifference? OfTypes(BuildMethod old)
    {
        foreach (string type in old.Types)
        {
            if (_old.Types.TryGetValue(type, out BuildType? sent) && _present.Types.TryGetValue(type, out BuildType? read)
                && OfMembers(type, sent, read) is { } loss)
            {
                return new BuildDifference(BuildDifferenceKind.Lost, $"arguments of {old.Call}, or results that it awaits: {loss}");
            }
        }

        return null;
    }

    // Code that could not be read may have changed.
    private static bool IsOtherCode(BuildMethod old, BuildMethod now) => old.Code != now.Code || now.Code.Length == 0;

    private static string? OfMembers(string name, BuildType old, BuildType now)
    {
        string people = name[(name.LastIndexOf('.') + 1)..].Replace('+', '.');
        if (old.Kind != now.Kind)
        {
            return $"{people} is no longer what it was ({old.Kind} then, {now.Kind} now)";
        }

        foreach ((string member, string value) in old.Members)
        {
            string present = now.Members.GetValueOrDefault(member, "").TrimEnd(BuildType.Needed);
            if (present == value.TrimEnd(BuildType.Needed))
            {
                continue;
            }

            return old.Kind switch
            {
                BuildTypeKind.Enum when present.Length == 0 => $"{people}.{member} ({value}) is gone",
                BuildTypeKind.Enum => $"{people}.{member} was {value} and is {present} now",
                BuildTypeKind.Union when present.Length == 0 => $"tag {member} of {people} was {value} and is nothing now",
                BuildTypeKind.Union => $"tag {member} of {people} was {value} and is {present} now",
                _ when present.Length == 0 => $"{people}.{member} has no place. Renamed: [DataMember(Name = \"{member}\")]",
                _ => $"{people}.{member} was {value.TrimEnd(BuildType.Needed)} and is {present} now",
            };
        }

        foreach ((string member, string value) in now.Members)
        {
            if (!old.Members.ContainsKey(member) && value.EndsWith(BuildType.Needed))
            {
                return $"{people}.{member} is new and must be sent. Give it a default value";
            }
        }

        return null;
    }
}
