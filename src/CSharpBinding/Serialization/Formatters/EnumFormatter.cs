using System.Runtime.CompilerServices;

namespace Ambrosia.Serialization;

/// <summary>
/// Enumeration values, as their number. Numbers that the enumeration does not name are let through, as C# does: flags are combined, and a
/// newer sender may know a name more.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct EnumFormatter<T> : IFormatter<T>
    where T : unmanaged, Enum
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, T value)
    {
        if (IsSigned)
        {
            writer.WriteInt64(Unsafe.SizeOf<T>() switch
            {
                1 => Unsafe.As<T, sbyte>(ref value),
                2 => Unsafe.As<T, short>(ref value),
                4 => Unsafe.As<T, int>(ref value),
                _ => Unsafe.As<T, long>(ref value),
            });
        }
        else
        {
            writer.WriteUInt64(Unsafe.SizeOf<T>() switch
            {
                1 => Unsafe.As<T, byte>(ref value),
                2 => Unsafe.As<T, ushort>(ref value),
                4 => Unsafe.As<T, uint>(ref value),
                _ => Unsafe.As<T, ulong>(ref value),
            });
        }
    }

    /// <inheritdoc/>
    public T Read(ref MessagePackReader reader)
    {
        T value = default;
        switch (Unsafe.SizeOf<T>())
        {
            case 1:
                Unsafe.As<T, byte>(ref value) = IsSigned ? unchecked((byte)reader.ReadSByte()) : reader.ReadByte();
                break;
            case 2:
                Unsafe.As<T, ushort>(ref value) = IsSigned ? unchecked((ushort)reader.ReadInt16()) : reader.ReadUInt16();
                break;
            case 4:
                Unsafe.As<T, uint>(ref value) = IsSigned ? unchecked((uint)reader.ReadInt32()) : reader.ReadUInt32();
                break;
            default:
                Unsafe.As<T, ulong>(ref value) = IsSigned ? unchecked((ulong)reader.ReadInt64()) : reader.ReadUInt64();
                break;
        }

        return value;
    }

    private static bool IsSigned => EnumSign<T>.IsSigned;
}
