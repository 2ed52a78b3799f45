using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Ambrosia.Serialization;

/// <summary>
/// How an exception that an interface declares travels: its public properties that can be set, as a JSON object, in the order of their
/// names.
/// </summary>
internal sealed class DeclaredException
{
    private const BindingFlags Own = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private const int LongestData = 16 * 1024;
    private readonly Type _type;
    private readonly SortedDictionary<string, (PropertyInfo Property, Action<object, object?> Set)> _properties = new(
        StringComparer.Ordinal);

    /// <summary>Looks at a type, once for each process.</summary>
    public DeclaredException(Type type)
    {
        _type = type;
        for (Type each = type; each != typeof(Exception); each = each.BaseType!)
        {
            foreach (PropertyInfo property in each.GetProperties(Own))
            {
                if (property.GetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0
                    && SetterOf(each, property) is { } set)
                {
                    _properties.TryAdd(property.Name, (property, set));
                }
            }
        }
    }

    /// <summary>The data of an exception; null if it has none, or some that cannot be sent: then its text alone arrives.</summary>
    public string? Write(Exception error)
    {
        try
        {
            var data = new Dictionary<string, JsonElement>();
            foreach ((string name, (PropertyInfo property, _)) in _properties)
            {
                data[name] = JsonSerializer.SerializeToElement(property.GetValue(error), property.PropertyType);
            }

            string json = JsonSerializer.Serialize(data);
            return data.Count > 0 && json.Length <= LongestData ? json : null;
        }
        catch (Exception failure) when (failure is JsonException or NotSupportedException or TargetInvocationException)
        {
            return null;
        }
    }

    /// <summary>The exception again; null if the data do not fit this build.</summary>
    public Exception? Read(string message, string json, Exception remote)
    {
        try
        {
            // No constructor: one that computes its message from what it is given would say something else than the other side has said.
            var error = (Exception)RuntimeHelpers.GetUninitializedObject(_type);
            Message(error) = message;
            Inner(error) = remote;
            error.HResult = remote.HResult;
            using JsonDocument data = JsonDocument.Parse(json);
            foreach ((string name, (PropertyInfo property, Action<object, object?> set)) in _properties)
            {
                if (data.RootElement.TryGetProperty(name, out JsonElement value))
                {
                    set(error, value.Deserialize(property.PropertyType));
                }
            }

            return error;
        }
        catch (Exception failure) when (failure is JsonException or NotSupportedException
            or InvalidOperationException or TargetInvocationException)
        {
            return null;
        }
    }

    // A setter, or the field that the compiler made for the property, or for the parameter of a primary constructor that the property
    // returns.
    private static Action<object, object?>? SetterOf(Type declaring, PropertyInfo property)
    {
        if (property.SetMethod is not null)
        {
            return property.SetValue;
        }

        string parameter = char.ToLowerInvariant(property.Name[0]) + property.Name[1..];
        FieldInfo? field = declaring.GetField($"<{property.Name}>k__BackingField", Own) ?? declaring.GetField($"<{parameter}>P", Own);
        return field is not null && field.FieldType == property.PropertyType ? field.SetValue : null;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_message")]
    private static extern ref string? Message(Exception exception);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_innerException")]
    private static extern ref Exception? Inner(Exception exception);
}
