using System.Collections;
using System.ComponentModel;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Ambrosia.Runtime;

/// <summary>Shows a state to people: debugger, dashboard, <c>ambrosia status</c>. Made for reading, not for loading.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class StateJson
{
    private const int MaxDepth = 24;
    private const int MaxItems = 1000;
    private readonly Utf8JsonWriter _json;
    private readonly Dictionary<object, int> _shown = new(ReferenceEqualityComparer.Instance);

    private StateJson(Utf8JsonWriter json) => _json = json;

    /// <summary>
    /// Writes one JSON value. Objects met again are <c>{"$same": n}</c>, where n is the <c>"$id"</c> of the first; suspended methods show
    /// their method and their locals by name. Collections are cut after 1000 items, depth after 24 levels: both say so.
    /// </summary>
    public static void Write(Utf8JsonWriter json, object? state) => new StateJson(json).Value(state, depth: 0);

    /// <summary>Writes named values into the object that is open; an object that two of them refer to is shown once.</summary>
    public static void Write(Utf8JsonWriter json, IReadOnlyList<(string Name, object? Value)> roots)
    {
        var shown = new StateJson(json);
        foreach ((string name, object? value) in roots)
        {
            json.WritePropertyName(name);
            shown.Value(value, depth: 0);
        }
    }

    private void Value(object? value, int depth)
    {
        switch (value)
        {
            case null:
                _json.WriteNullValue();
                break;
            case bool flag:
                _json.WriteBooleanValue(flag);
                break;
            case sbyte or short or int or long:
                _json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
            case byte or ushort or uint or ulong:
                _json.WriteNumberValue(Convert.ToUInt64(value, CultureInfo.InvariantCulture));
                break;
            case decimal money:
                _json.WriteNumberValue(money);
                break;
            case float or double when double.IsFinite(Convert.ToDouble(value, CultureInfo.InvariantCulture)):
                _json.WriteNumberValue(Convert.ToDouble(value, CultureInfo.InvariantCulture));
                break;
            case string or char:
                _json.WriteStringValue(value.ToString());
                break;
            case byte[] bytes:
                _json.WriteStringValue($"{bytes.Length} bytes {Convert.ToHexString(bytes.AsSpan(0, Math.Min(32, bytes.Length)))}");
                break;
            default:
                Other(value, depth);
                break;
        }
    }

    private void Other(object value, int depth)
    {
        Type type = value.GetType();
        if (type.IsEnum || TypeNames.TryGetPrimitive(type, out _) || value is System.Type or Version or Uri or System.Text.StringBuilder)
        {
            _json.WriteStringValue(value is IFormattable formattable ? formattable.ToString(null, CultureInfo.InvariantCulture)
                : value.ToString());
        }
        else if (value is Delegate or DelegateWaiter)
        {
            _json.WriteStringValue(TypeNames.Display(type));
        }
        else if (depth >= MaxDepth)
        {
            _json.WriteStringValue($"{TypeNames.Display(type)} (deeper than {MaxDepth} levels)");
        }
        else if (type.IsValueType)
        {
            Struct(value, type, depth);
        }
        else if (_shown.TryGetValue(value, out int id))
        {
            _json.WriteStartObject();
            _json.WriteNumber("$same", id);
            _json.WriteEndObject();
        }
        else
        {
            Reference(value, type, depth);
        }
    }

    private void Struct(object value, Type type, int depth)
    {
        if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(KeyValuePair<,>))
        {
            _json.WriteStartObject();
            Named("key", type.GetProperty("Key")!.GetValue(value), depth);
            Named("value", type.GetProperty("Value")!.GetValue(value), depth);
            _json.WriteEndObject();
        }
        else if (TypeNames.IsFramework(type.Assembly) && !KnownTypes.IsFieldwiseStruct(type))
        {
            _json.WriteStringValue(value.ToString());
        }
        else
        {
            _json.WriteStartObject();
            Fields(value, type, depth);
            _json.WriteEndObject();
        }
    }

    private void Reference(object value, Type type, int depth)
    {
        _shown.Add(value, _shown.Count + 1);
        _json.WriteStartObject();
        _json.WriteNumber("$id", _shown.Count);
        _json.WriteString("$type", NameOf(type));
        if (value is Exception exception)
        {
            _json.WriteString("message", exception.Message);
        }
        else if (value is ITuple tuple)
        {
            Items(Enumerable.Range(0, tuple.Length).Select(i => tuple[i]), depth);
        }
        else if (value is IEnumerable entries && HasNamedEntries(type))
        {
            Entries(entries, depth);
        }
        else if (value is IEnumerable items
            && (TypeNames.IsFramework(type.Assembly) || type.Assembly == typeof(StateJson).Assembly || type.IsArray))
        {
            Items(items.Cast<object?>(), depth);
        }
        else if (!TypeNames.IsFramework(type.Assembly))
        {
            Fields(value, type, depth);
        }
        _json.WriteEndObject();
    }

    // Keys that read as names make a JSON object of a dictionary: state.entries.alice is what people look for.
    private static bool HasNamedEntries(Type type) => (TypeNames.IsFramework(type.Assembly) || type.Assembly == typeof(StateJson).Assembly)
        && type.GetInterfaces().Any(static face => face.IsGenericType && face.GetGenericTypeDefinition() == typeof(IEnumerable<>)
            && face.GetGenericArguments()[0] is { IsGenericType: true } pair && pair.GetGenericTypeDefinition() == typeof(KeyValuePair<,>)
            && pair.GetGenericArguments()[0] is var key && (key == typeof(string) || key.IsPrimitive || key.IsEnum || key == typeof(Guid)));

    private void Entries(IEnumerable entries, int depth)
    {
        _json.WriteStartObject("entries");
        PropertyInfo? key = null;
        PropertyInfo? value = null;
        int count = 0;
        foreach (object entry in entries)
        {
            if (++count > MaxItems)
            {
                _json.WriteString("$more", $"more than {MaxItems} entries");
                break;
            }

            key ??= entry.GetType().GetProperty("Key")!;
            value ??= entry.GetType().GetProperty("Value")!;
            Named(Convert.ToString(key.GetValue(entry), CultureInfo.InvariantCulture) ?? "", value.GetValue(entry), depth);
        }

        _json.WriteEndObject();
    }

    private void Items(IEnumerable<object?> items, int depth)
    {
        _json.WriteStartArray("items");
        int count = 0;
        foreach (object? item in items)
        {
            if (++count > MaxItems)
            {
                _json.WriteStringValue($"(more than {MaxItems} items)");
                break;
            }
            Value(item, depth + 1);
        }
        _json.WriteEndArray();
    }

    private void Fields(object value, Type type, int depth)
    {
        for (Type? level = type; level is not null
            && (!TypeNames.IsFramework(level.Assembly) || KnownTypes.IsFieldwiseStruct(level)); level = level.BaseType)
        {
            foreach (FieldInfo field in level.GetFields(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            {
                if (!field.FieldType.IsPointer && !field.IsDefined(typeof(NotSavedAttribute), inherit: false) && !IsMachinery(field))
                {
                    Named(NameOf(field), field.GetValue(value), depth);
                }
            }
        }
    }

    private void Named(string name, object? value, int depth)
    {
        _json.WritePropertyName(name);
        Value(value, depth + 1);
    }

    // The builder refers back to the box, an awaiter to what is awaited: the waiters show both from the other side.
    private static bool IsMachinery(FieldInfo field) =>
        field.Name.StartsWith("<>t__", StringComparison.Ordinal) || field.Name.StartsWith("<>u__", StringComparison.Ordinal);

    private static string NameOf(Type type)
    {
        if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(DurableBox<,>))
        {
            return $"{StatePath.Owner(type.GetGenericArguments()[0])} (suspended)";
        }
        return GeneratedName.KindOf(type) != GeneratedKind.None ? StatePath.Owner(type) : TypeNames.Display(type);
    }

    private static string NameOf(FieldInfo field)
    {
        string name = field.Name;
        if (name == "<>1__state")
        {
            return "$await";
        }
        if (name.Contains("__this", StringComparison.Ordinal))
        {
            return "this";
        }
        int end = name.IndexOf('>', StringComparison.Ordinal);
        return name.StartsWith('<') && end > 1 ? name[1..end] : name;
    }
}
