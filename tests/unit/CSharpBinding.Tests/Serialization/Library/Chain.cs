using MessagePack;

namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>An object within an object, as deep as one likes.</summary>
[MessagePackObject]
public sealed class Chain
{
    [Key(0)]
    public Chain? Next { get; set; }

    [IgnoreMember]
    public int Length => 1 + (Next?.Length ?? 0);

    public static Chain Of(int length)
    {
        Chain? chain = null;
        for (int i = 0; i < length; i++)
        {
            chain = new Chain { Next = chain };
        }

        return chain!;
    }
}
