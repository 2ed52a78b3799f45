using System.Buffers;

namespace Ambrosia.Runtime;

/// <summary>
/// Writes one state graph: objects are numbered and named at their first reference, and their bodies follow in that order, so that depth
/// costs no stack.
/// </summary>
internal sealed class WriteSession(IBufferWriter<byte> output, GraphOptions options, IStateForms forms, bool canonical)
    : StateOutput(output)
{
    private readonly IdentityTable _objects = new();
    private readonly List<ObjectPlan?> _bodies = [];
    private readonly Dictionary<Type, TypeEntry> _types = [];
    private readonly Dictionary<Type, TypeEntry> _planned = [];
    private TypeEntry? _stringEntry;
    private (Type Type, TypeEntry Entry)? _last;
    private int _nesting;

    /// <summary>The object whose body is being written, for the text of a refusal.</summary>
    public object? Holder { get; private set; }

    /// <summary>The object that was met last.</summary>
    public object? Newest { get; private set; }

    /// <summary>True for bytes that are hashed: what may differ between replicas of equal state is left out or sorted.</summary>
    public bool Canonical => canonical;

    public bool Emit => options.Emit;

    public void Write(IReadOnlyList<object?> roots)
    {
        WriteNumber(StateFormat.Magic);
        WriteByte(StateFormat.Version);
        WriteVarint((ulong)roots.Count);
        foreach (object? root in roots)
        {
            WriteReference(root);
        }
        for (int id = 0; id < _objects.Count; id++)
        {
            if (_bodies[id] is { } plan)
            {
                Holder = _objects[id];
                plan.WriteBody(this, Holder);
                WriteByte(StateFormat.EndMark(id));
            }
        }
        Flush();
    }

    public void WriteReference(object? value)
    {
        if (value is null)
        {
            WriteByte(0);
            return;
        }
        if (value is string text)
        {
            WriteString(text);
            return;
        }
        if (options.Succession is { } succession)
        {
            value = succession.Of(value);
        }
        // Whether two empty arrays are one object depends on history, as with strings: .NET has one for each type, a restored state one of
        // its own.
        object identity = canonical && value is Array { Length: 0 } ? new object() : value;
        if (!_objects.Add(identity, out int id))
        {
            WriteVarint((ulong)(id + 1) << 1);
            return;
        }
        Newest = value;
        TypeEntry entry = EntryOf(value);
        ObjectPlan plan = entry.Plan!;
        _bodies.Add(plan.HasBody && identity == value ? plan : null);
        WriteMarker(entry);
        if (!entry.HasSchema)
        {
            entry.HasSchema = true;
            plan.WriteSchema(this);
        }
        Enter();
        plan.WriteHeader(this, value);
        _nesting--;
    }

    /// <summary>The wire of a value type, with its layout if it is the first.</summary>
    public void WriteValueWire(Type type, IValueSchema schema)
    {
        TypeEntry entry = Entry(type);
        WriteVarint((ulong)(entry.Id + StateFormat.FirstTypeWire));
        Define(entry);
        if (!entry.HasSchema)
        {
            entry.HasSchema = true;
            schema.WriteSchema(this);
        }
    }

    /// <summary>A type by its name, without the layout of instances.</summary>
    public void WriteType(Type type)
    {
        TypeEntry entry = Entry(type);
        WriteVarint((ulong)entry.Id);
        Define(entry);
    }

    private void WriteString(string text)
    {
        // Whether two equal strings are one object depends on history (a literal, or read from a message), so the hash must not see it.
        bool shared = text.Length >= StateFormat.SharedStringLength && !canonical;
        if (shared)
        {
            if (!_objects.Add(text, out int id))
            {
                WriteVarint((ulong)(id + 1) << 1);
                return;
            }
            _bodies.Add(null);
        }
        WriteMarker(_stringEntry ??= Entry(typeof(string)));
        WriteText(text, shared);
    }

    private void WriteMarker(TypeEntry entry)
    {
        WriteVarint(((ulong)entry.Id << 1) | 1);
        Define(entry);
    }

    private void Define(TypeEntry entry)
    {
        if (!entry.IsDefined)
        {
            entry.IsDefined = true;
            Enter();
            TypeTableWriter.Define(this, options, entry.Type);
            _nesting--;
        }
    }

    // The number is given here and the definition must follow at once: the reader knows an unknown number as the next one.
    private TypeEntry Entry(Type type)
    {
        if (!_types.TryGetValue(type, out TypeEntry? entry))
        {
            entry = new TypeEntry(type, _types.Count);
            _types.Add(type, entry);
        }
        return entry;
    }

    private TypeEntry EntryOf(object value)
    {
        Type type = value.GetType();
        // A finished method is only its result: as a plain cell it loads whatever became of the method.
        if (value is DurableCell { IsCompleted: true } && type.IsGenericType && type.GetGenericTypeDefinition() == typeof(DurableBox<,>))
        {
            type = type.BaseType!;
        }
        if (_last is { } last && type == last.Type)
        {
            return last.Entry;
        }
        if (!_planned.TryGetValue(type, out TypeEntry? entry))
        {
            ObjectPlan plan = forms.PlanOf(type, options.HandlerOf(type));
            entry = Entry(plan.Type);
            entry.Plan ??= plan;
            _planned.Add(type, entry);
        }
        _last = (type, entry);
        return entry;
    }

    private void Enter()
    {
        if (++_nesting > StateFormat.MaxNesting)
        {
            throw new UnsavableTypeException(typeof(object),
                $"immutable collections or type arguments are nested more than {StateFormat.MaxNesting} deep.");
        }
    }
}
