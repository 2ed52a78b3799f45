using System.Buffers;
using System.Text.Json;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>
/// Turns JSON into arguments, as the app's handlers read them. Nothing is guessed: what does not fit is refused with its place.
/// </summary>
internal sealed class JsonEncoder
{
    private readonly PackWriter _output;
    private readonly JsonPath _path = new();
    private readonly ScalarEncoder _scalars;

    private JsonEncoder(IBufferWriter<byte> output)
    {
        _output = new PackWriter(output);
        _scalars = new ScalarEncoder(_output, _path);
    }

    /// <summary>The arguments of a call: one array in the order of the parameters.</summary>
    /// <param name="body">An object with a member for each parameter that is sent.</param>
    /// <param name="method">The method.</param>
    /// <exception cref="JsonValueException">The body is not what the method takes.</exception>
    public static byte[] Arguments(JsonElement body, MethodShape method)
    {
        var output = new ArrayBufferWriter<byte>(256);
        new JsonEncoder(output).WriteArguments(body, method);
        return output.WrittenSpan.ToArray();
    }

    /// <summary>One value.</summary>
    /// <exception cref="JsonValueException">It is not of the type.</exception>
    public static byte[] Value(JsonElement value, TypeShape type)
    {
        var output = new ArrayBufferWriter<byte>(16);
        new JsonEncoder(output).Write(value, type);
        return output.WrittenSpan.ToArray();
    }

    private void WriteArguments(JsonElement body, MethodShape method)
    {
        if (body.ValueKind != JsonValueKind.Object)
        {
            throw _path.Wrong($"the body is one object with the parameters of {method.Name} by name");
        }

        var given = new JsonElement?[method.Parameters.Count];
        foreach (JsonProperty member in body.EnumerateObject())
        {
            string name = NameOf(member);
            int at = IndexOf(method, name);
            _path.Enter(name);
            if (at < 0)
            {
                string known = method.Parameters.Count == 0
                    ? "none" : string.Join(", ", method.Parameters.Select(static each => each.Name));
                throw _path.Wrong($"{method.Name} has no such parameter; it has {known}");
            }

            Set(given, at, member.Value);
        }

        _output.Array(given.Length);
        for (int i = 0; i < given.Length; i++)
        {
            ParameterShape parameter = method.Parameters[i];
            _path.Enter(parameter.Name);
            if (given[i] is { } value)
            {
                Write(value, parameter.Type);
            }
            else
            {
                _output.Raw(parameter.Default ?? throw _path.Wrong($"{method.Name} needs it"));
            }

            _path.Leave();
        }
    }

    // In any case where that is clear.
    private static int IndexOf(MethodShape method, string name)
    {
        int found = -1;
        for (int i = 0; i < method.Parameters.Count; i++)
        {
            if (method.Parameters[i].Name == name)
            {
                return i;
            }

            if (string.Equals(method.Parameters[i].Name, name, StringComparison.OrdinalIgnoreCase))
            {
                found = found < 0 ? i : int.MinValue;
            }
        }

        return found;
    }

    private void Write(JsonElement value, TypeShape type)
    {
        switch (type)
        {
            case OptionalShape when value.ValueKind == JsonValueKind.Null:
                _output.Nil();
                break;
            case OptionalShape optional:
                Write(value, optional.Value);
                break;
            case ScalarShape { Kind: ScalarKind.Any }:
                WriteAny(value);
                break;
            case var _ when value.ValueKind == JsonValueKind.Null:
                throw _path.Wrong("null is not allowed here");
            case ScalarShape scalar:
                _scalars.Write(value, scalar.Kind);
                break;
            case EnumShape names:
                _scalars.Write(value, names);
                break;
            case ListShape list:
                _output.Array(LengthOf(value));
                WriteItems(value, _ => list.Item);
                break;
            case TupleShape tuple:
                if (LengthOf(value) != tuple.Items.Count)
                {
                    throw _path.Wrong($"an array of {tuple.Items.Count} elements belongs here");
                }

                _output.Array(tuple.Items.Count);
                WriteItems(value, at => tuple.Items[at]);
                break;
            case MapShape map:
                WriteMap(value, map);
                break;
            case UnionShape union:
                WriteUnion(value, union);
                break;
            case ObjectShape members:
                WriteObject(value, members, isCase: false);
                break;
        }
    }

    private void WriteItems(JsonElement value, Func<int, TypeShape> typeOf)
    {
        int at = 0;
        foreach (JsonElement item in value.EnumerateArray())
        {
            _path.Enter(at);
            Write(item, typeOf(at++));
            _path.Leave();
        }
    }

    private void WriteMap(JsonElement value, MapShape map)
    {
        if (!map.HasNames)
        {
            var pair = new TupleShape([map.Key, map.Value]);
            _output.Map(LengthOf(value));
            int at = 0;
            foreach (JsonElement item in value.EnumerateArray())
            {
                _path.Enter(at++);
                if (LengthOf(item) != 2)
                {
                    throw _path.Wrong("an array of key and value belongs here");
                }

                WriteItems(item, each => pair.Items[each]);
                _path.Leave();
            }

            return;
        }

        Expect(value, JsonValueKind.Object, "an object");
        var seen = new HashSet<string>(StringComparer.Ordinal);
        foreach (JsonProperty member in value.EnumerateObject())
        {
            if (!seen.Add(NameOf(member)))
            {
                _path.Enter(member.Name);
                throw _path.Wrong("it stands there twice");
            }
        }

        _output.Map(seen.Count);
        foreach (JsonProperty member in value.EnumerateObject())
        {
            _path.Enter(member.Name);
            _scalars.WriteKey(member.Name, map.Key);
            Write(member.Value, map.Value);
            _path.Leave();
        }
    }

    private void WriteUnion(JsonElement value, UnionShape union)
    {
        Expect(value, JsonValueKind.Object, $"an object with \"{UnionShape.Discriminator}\"");
        if (!value.TryGetProperty(UnionShape.Discriminator, out JsonElement said))
        {
            throw _path.Wrong($"\"{UnionShape.Discriminator}\" is missing: one of {NamesOf(union)}");
        }

        _path.Enter(UnionShape.Discriminator);
        string name = said.ValueKind == JsonValueKind.Number ? said.GetRawText() : _scalars.TextOf(said);
        CaseShape chosen = union.Find(name) ?? throw _path.Wrong($"{JsonPath.Shown(name)} is none of {NamesOf(union)}");
        _path.Leave();
        _output.Array(2);
        _output.Integer(chosen.Tag);
        if (chosen.Type is ObjectShape members)
        {
            WriteObject(value, members, isCase: true);
            return;
        }

        Write(ValueOf(value), chosen.Type);
        _path.Leave();
    }

    // The value of a case that is no object; its place is entered.
    private JsonElement ValueOf(JsonElement value)
    {
        JsonElement? inner = null;
        bool typed = false;
        foreach (JsonProperty member in value.EnumerateObject())
        {
            string name = NameOf(member);
            if (name == UnionShape.Value && inner is null)
            {
                inner = member.Value;
            }
            else if (name != UnionShape.Discriminator || typed)
            {
                _path.Enter(name);
                throw _path.Wrong($"only \"{UnionShape.Discriminator}\" and \"{UnionShape.Value}\" belong here, each once");
            }
            else
            {
                typed = true;
            }
        }

        _path.Enter(UnionShape.Value);
        return inner ?? throw _path.Wrong("it is missing");
    }

    private static string NamesOf(UnionShape union) => string.Join(", ", union.Cases.Select(static each => each.Name));

    private void WriteObject(JsonElement value, ObjectShape shape, bool isCase)
    {
        Expect(value, JsonValueKind.Object, "an object");
        var given = new JsonElement?[shape.Members.Count];
        bool typed = false;
        foreach (JsonProperty member in value.EnumerateObject())
        {
            string name = NameOf(member);
            if (isCase && name == UnionShape.Discriminator && !typed)
            {
                typed = true;
                continue;
            }

            int at = shape.IndexOf(name);
            _path.Enter(name);
            if (at < 0)
            {
                string known = string.Join(", ", shape.Members.Select(static each => each.Name));
                throw _path.Wrong($"{shape.Name} has no such member; it has {known}");
            }

            Set(given, at, member.Value);
        }

        for (int i = 0; i < given.Length; i++)
        {
            if (given[i] is null && shape.Members[i].IsNeeded)
            {
                _path.Enter(shape.Members[i].Name);
                throw _path.Wrong($"{shape.Name} needs it");
            }
        }

        if (shape.IsArray)
        {
            WriteSlots(given, shape);
        }
        else
        {
            WriteMembers(given, shape);
        }
    }

    private void WriteMembers(JsonElement?[] given, ObjectShape shape)
    {
        _output.Map(given.Count(static value => value is not null));
        for (int i = 0; i < given.Length; i++)
        {
            if (given[i] is { } value)
            {
                _path.Enter(shape.Members[i].Name);
                _output.Text(shape.Members[i].Name);
                Write(value, shape.Members[i].Type);
                _path.Leave();
            }
        }
    }

    // What is left out at the end is not sent, so that it keeps its initial value. Before others that are sent, only null can say so.
    private void WriteSlots(JsonElement?[] given, ObjectShape shape)
    {
        int last = Array.FindLastIndex(given, static value => value is not null);
        _output.Array(last < 0 ? 0 : shape.Members[last].At + 1);
        int next = 0;
        for (int i = 0; i <= last; i++)
        {
            MemberShape member = shape.Members[i];
            for (; next < member.At; next++)
            {
                _output.Nil();
            }

            _path.Enter(member.Name);
            if (given[i] is { } value)
            {
                Write(value, member.Type);
            }
            else if (member.Type is OptionalShape)
            {
                _output.Nil();
            }
            else
            {
                throw _path.Wrong($"{shape.Name} needs it, because members after it are sent");
            }

            _path.Leave();
            next++;
        }
    }

    private void WriteAny(JsonElement value)
    {
        switch (value.ValueKind)
        {
            case JsonValueKind.Array:
                _output.Array(value.GetArrayLength());
                WriteItems(value, static _ => new ScalarShape(ScalarKind.Any));
                break;
            case JsonValueKind.Object:
                WriteMap(value, new MapShape(new ScalarShape(ScalarKind.Text), new ScalarShape(ScalarKind.Any)));
                break;
            default:
                _scalars.WriteAny(value);
                break;
        }
    }

    private void Set(JsonElement?[] given, int at, JsonElement value)
    {
        if (given[at] is not null)
        {
            throw _path.Wrong("it stands there twice");
        }

        given[at] = value;
        _path.Leave();
    }

    private string NameOf(JsonProperty member)
    {
        try
        {
            return member.Name;
        }
        catch (InvalidOperationException)
        {
            throw _path.Wrong("the name of a member holds half a character");
        }
    }

    private int LengthOf(JsonElement value)
    {
        Expect(value, JsonValueKind.Array, "an array");
        return value.GetArrayLength();
    }

    private void Expect(JsonElement value, JsonValueKind kind, string what)
    {
        if (value.ValueKind != kind)
        {
            throw _path.Wrong($"{what} belongs here, not {ScalarEncoder.Describe(value)}");
        }
    }
}
