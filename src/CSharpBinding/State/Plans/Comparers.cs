namespace Ambrosia.Runtime;

/// <summary>Saves the comparer of a collection: .NET's own by a number, others as objects of the state.</summary>
internal static class Comparers
{
    private const byte Default = 0;
    private const byte ReferenceEquality = 1;
    private const byte FirstString = 2;

    private static readonly StringComparer[] s_strings =
        [StringComparer.Ordinal, StringComparer.OrdinalIgnoreCase, StringComparer.InvariantCulture,
            StringComparer.InvariantCultureIgnoreCase];

    public static void Write(WriteSession session, object? comparer)
    {
        int known = Array.FindIndex(s_strings, candidate => candidate.Equals(comparer));
        if (comparer is null)
        {
            session.WriteByte(Default);
        }
        else if (ReferenceEquals(comparer, ReferenceEqualityComparer.Instance))
        {
            session.WriteByte(ReferenceEquality);
        }
        else if (known >= 0)
        {
            session.WriteByte((byte)(FirstString + known));
        }
        else
        {
            session.WriteByte(StateFormat.ComparerInState);
            session.WriteReference(comparer);
        }
    }

    public static object? Read(ReadSession session)
    {
        byte known = session.ReadByte();
        if (known >= FirstString && known < FirstString + s_strings.Length)
        {
            return s_strings[known - FirstString];
        }
        switch (known)
        {
            case Default:
                return null;
            case ReferenceEquality:
                return ReferenceEqualityComparer.Instance;
            case StateFormat.ComparerInState:
                object? comparer = null;
                Codec<object?>.Read(session, ref comparer);
                return comparer;
            default:
                throw session.Corrupt($"comparer {known}");
        }
    }

    /// <summary>Null for the default comparer of <typeparamref name="T"/>, which is another object in every process.</summary>
    public static object? Named<T>(IEqualityComparer<T>? comparer) =>
        ReferenceEquals(comparer, EqualityComparer<T>.Default) ? null : comparer;

    /// <inheritdoc cref="Named{T}(IEqualityComparer{T})"/>
    public static object? Named<T>(IComparer<T>? comparer) => ReferenceEquals(comparer, Comparer<T>.Default) ? null : comparer;
}
