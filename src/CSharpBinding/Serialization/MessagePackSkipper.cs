namespace Ambrosia.Serialization;

/// <summary>Consumes values of any kind without making anything of them.</summary>
internal static class MessagePackSkipper
{
    /// <summary>Consumes one value of any kind, with all that it holds. Needs no stack, however deep it is.</summary>
    public static void Skip(ref MessagePackCursor cursor)
    {
        // Every announced value needs a byte at least, which each header has checked: the loop ends.
        for (long values = 1; values > 0; values--)
        {
            byte code = cursor.Peek();
            switch (code)
            {
                case <= MessagePackCode.MaxPositiveFixInt or >= MessagePackCode.MinNegativeFixInt:
                case MessagePackCode.Nil or MessagePackCode.False or MessagePackCode.True:
                    cursor.Position++;
                    break;
                case < MessagePackCode.FixArray or MessagePackCode.Map16 or MessagePackCode.Map32:
                    values += 2L * cursor.ReadMapHeader();
                    break;
                case < MessagePackCode.FixStr or MessagePackCode.Array16 or MessagePackCode.Array32:
                    values += cursor.ReadArrayHeader();
                    break;
                case < MessagePackCode.Nil or MessagePackCode.Str8 or MessagePackCode.Str16 or MessagePackCode.Str32:
                    cursor.ReadUtf8();
                    break;
                case MessagePackCode.Bin8 or MessagePackCode.Bin16 or MessagePackCode.Bin32:
                    cursor.ReadBinary();
                    break;
                case MessagePackCode.Float32:
                    cursor.Step(5);
                    break;
                case MessagePackCode.Float64:
                    cursor.Step(9);
                    break;
                case >= MessagePackCode.UInt8 and <= MessagePackCode.UInt64:
                    cursor.ReadUnsigned(code);
                    break;
                case >= MessagePackCode.Int8 and <= MessagePackCode.Int64:
                    cursor.ReadSigned(code);
                    break;
                case MessagePackCode.NeverUsed:
                    cursor.ThrowWrongType("a value");
                    break;
                default:
                    cursor.ReadExtension(out _);
                    break;
            }
        }
    }

    /// <summary>
    /// The same for what is handed on: texts are valid, and nesting is counted, so that it is bounded by the limit and needs no more stack
    /// than that.
    /// </summary>
    public static void SkipValid(ref MessagePackCursor cursor)
    {
        byte code = cursor.Peek();
        bool isMap = code is >= MessagePackCode.FixMap and < MessagePackCode.FixArray or MessagePackCode.Map16 or MessagePackCode.Map32;
        if (isMap || code is >= MessagePackCode.FixArray and < MessagePackCode.FixStr or MessagePackCode.Array16 or MessagePackCode.Array32)
        {
            cursor.Enter();
            for (long left = isMap ? 2L * cursor.ReadMapHeader() : cursor.ReadArrayHeader(); left > 0; left--)
            {
                SkipValid(ref cursor);
            }

            cursor.Depth--;
            return;
        }

        int start = cursor.Position;
        if (code is not (>= MessagePackCode.FixStr and < MessagePackCode.Nil or >= MessagePackCode.Str8 and <= MessagePackCode.Str32))
        {
            Skip(ref cursor);
        }
        else if (!System.Text.Unicode.Utf8.IsValid(cursor.ReadUtf8()))
        {
            cursor.ThrowInvalidText(start);
        }
    }
}
