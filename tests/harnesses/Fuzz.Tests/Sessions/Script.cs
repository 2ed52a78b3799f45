using Ambrosia.Fuzz.Tests.Engine;

namespace Ambrosia.Fuzz.Tests.Sessions;

/// <summary>A sequence of valid pieces, spoiled: pieces changed inside, left out, repeated, swapped, cut, or noise between them.</summary>
internal sealed class Script(FuzzRandom random)
{
    private readonly Mutator _mutator = new(random, [], 4096);

    /// <summary>Bytes of changed pieces are handed to <paramref name="repair"/> in three of four cases.</summary>
    public List<byte[]> Spoil(IReadOnlyList<byte[]> pieces, Action<byte[]> repair)
    {
        List<byte[]> spoiled = [.. pieces];
        for (int changes = random.OneIn(8) ? 0 : 1 + random.Next(3); changes > 0 && spoiled.Count > 0; changes--)
        {
            int at = random.Next(spoiled.Count);
            switch (random.Next(8))
            {
                case 0:
                    spoiled.RemoveAt(at);
                    break;
                case 1:
                    spoiled.Insert(at, spoiled[random.Next(spoiled.Count)]);
                    break;
                case 2:
                    int other = random.Next(spoiled.Count);
                    (spoiled[at], spoiled[other]) = (spoiled[other], spoiled[at]);
                    break;
                default:
                    _mutator.Make([spoiled[at]]);
                    byte[] changed = _mutator.Bytes.ToArray();
                    if (!random.OneIn(4))
                    {
                        repair(changed);
                    }

                    spoiled[at] = changed;
                    break;
            }
        }

        return spoiled;
    }

    /// <summary>The stream in pieces of any size.</summary>
    public IEnumerable<ReadOnlyMemory<byte>> Cut(byte[] stream)
    {
        for (int at = 0; at < stream.Length;)
        {
            int size = Math.Min(stream.Length - at, random.OneIn(2) ? stream.Length
                : 1 + random.Next(random.OneIn(2) ? 16 : stream.Length));
            yield return stream.AsMemory(at, size);
            at += size;
        }
    }
}
