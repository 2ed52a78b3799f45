using System.Globalization;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Emit;

/// <summary>Writes the formatter of a class, struct or record: a map by member name, or an array by position.</summary>
internal static class ObjectFormatterEmitter
{
    public static void EmitWrite(SourceWriter writer, ObjectModel model)
    {
        writer.Open($"public void Write(ref {Names.Writer} writer, {model.Type} value)");
        if (model.IsReference)
        {
            writer.Open("if (value is null)");
            writer.Line($"writer.ThrowNull({Names.Quote(model.Label)});");
            writer.Close();
            writer.Line();
        }

        if (!model.IsSealed)
        {
            // What a derived class adds would be lost in silence.
            writer.Open($"if (value.GetType() != typeof({model.Type}))");
            writer.Line($"writer.ThrowUnknownType({Names.Quote(model.Label)}, value.GetType());");
            writer.Close();
            writer.Line();
        }

        writer.Line("writer.Enter();");
        if (model.IsArray)
        {
            EmitArrayBody(writer, model);
        }
        else
        {
            writer.Line($"writer.WriteMapHeader({Number(model.Members.Count)});");
            foreach (MemberModel member in model.Members)
            {
                writer.Line($"writer.WriteUtf8({Names.Quote(member.Key)}u8);");
                writer.Line($"default({member.Formatter}).Write(ref writer, value.@{member.Name});");
            }
        }

        writer.Line("writer.Leave();");
        writer.Close();
    }

    public static void EmitRead(SourceWriter writer, ObjectModel model)
    {
        writer.Open($"public {model.Type} Read(ref {Names.Reader} reader)");
        for (int i = 0; i < model.Members.Count; i++)
        {
            writer.Line($"{model.Members[i].Type} m{Number(i)} = {model.Members[i].Default ?? "default"}!;");
            writer.Line($"bool has{Number(i)} = false;");
        }

        writer.Line("reader.Enter();");
        writer.Line($"int count = reader.{(model.IsArray ? "ReadArrayHeader" : "ReadMapHeader")}();");
        writer.Open("for (int i = 0; i < count; i++)");
        if (model.IsArray)
        {
            EmitReadByPosition(writer, model);
        }
        else
        {
            EmitReadByName(writer, model);
        }

        writer.Close();
        writer.Line();
        writer.Line("reader.Leave();");
        EmitMissing(writer, model);
        EmitConstruction(writer, model);
        writer.Close();
    }

    private static void EmitArrayBody(SourceWriter writer, ObjectModel model)
    {
        int length = model.Members[model.Members.Count - 1].Index + 1;
        writer.Line($"writer.WriteArrayHeader({Number(length)});");
        int next = 0;
        foreach (MemberModel member in model.Members)
        {
            for (; next < member.Index; next++)
            {
                writer.Line("writer.WriteNil();");
            }

            writer.Line($"default({member.Formatter}).Write(ref writer, value.@{member.Name});");
            next++;
        }
    }

    private static void EmitReadByPosition(SourceWriter writer, ObjectModel model)
    {
        writer.Open("switch (i)");
        for (int i = 0; i < model.Members.Count; i++)
        {
            writer.Line($"case {Number(model.Members[i].Index)}:");
            EmitReadMember(writer, model, i, "    ");
            writer.Line("    break;");
        }

        writer.Line("default:");
        writer.Line("    reader.Skip();");
        writer.Line("    break;");
        writer.Close();
    }

    private static void EmitReadByName(SourceWriter writer, ObjectModel model)
    {
        writer.Line("global::System.ReadOnlySpan<byte> key = reader.ReadUtf8();");
        string word = "if";
        for (int i = 0; i < model.Members.Count; i++)
        {
            writer.Open($"{word} (global::System.MemoryExtensions.SequenceEqual(key, {Names.Quote(model.Members[i].Key)}u8))");
            EmitReadMember(writer, model, i, "");
            writer.Close();
            word = "else if";
        }

        if (model.Members.Count == 0)
        {
            writer.Line("reader.Skip();");
            return;
        }

        writer.Open("else");
        writer.Line("reader.Skip();");
        writer.Close();
    }

    private static void EmitReadMember(SourceWriter writer, ObjectModel model, int index, string indent)
    {
        MemberModel member = model.Members[index];
        writer.Line($"{indent}reader.Subject = {Names.Quote(model.Label + "." + member.Name)};");
        writer.Line($"{indent}m{Number(index)} = default({member.Formatter}).Read(ref reader);");
        writer.Line($"{indent}has{Number(index)} = true;");
    }

    private static void EmitMissing(SourceWriter writer, ObjectModel model)
    {
        for (int i = 0; i < model.Members.Count; i++)
        {
            MemberModel member = model.Members[i];
            if (member.Assignment is MemberAssignment.Constructor or MemberAssignment.Required && member.Default is null)
            {
                writer.Open($"if (!has{Number(i)})");
                writer.Line("reader.Subject = null;");
                writer.Line($"reader.ThrowMissing({Names.Quote(model.Label + "." + member.Name)});");
                writer.Close();
                writer.Line();
            }
        }
    }

    private static void EmitConstruction(SourceWriter writer, ObjectModel model)
    {
        (MemberModel Member, string Local)[] all = [.. model.Members.Select(static (m, i) => (m, Number(i)))];
        string arguments = string.Join(", ", all.Where(static m => m.Member.Assignment == MemberAssignment.Constructor)
            .OrderBy(static m => m.Member.ConstructorPosition).Select(static m => "m" + m.Local));
        string[] required = [.. Assigned(MemberAssignment.Required, static m => $"@{m.Member.Name} = m{m.Local}")];
        string[] initialized = [.. Assigned(MemberAssignment.Initializer, static m => $"@{m.Member.Name} = m{m.Local}")];
        string[] sent = [.. Assigned(MemberAssignment.Initializer, static m => "has" + m.Local)];
        if (sent.Length == 0)
        {
            writer.Line($"{model.Type} value = {New(required)};");
        }
        else
        {
            // What has an init accessor and was not sent keeps its initial value, which only an object made without it can tell.
            writer.Line($"{model.Type} value;");
            writer.Open($"if ({string.Join(" && ", sent)})");
            writer.Line($"value = {New([.. required, .. initialized])};");
            writer.Close();
            writer.Open("else");
            writer.Line($"value = {New(required)};");
            IEnumerable<string> kept = Assigned(
                MemberAssignment.Initializer, static m => $"@{m.Member.Name} = has{m.Local} ? m{m.Local} : value.@{m.Member.Name}");
            writer.Line($"value = {New([.. required, .. kept])};");
            writer.Close();
            writer.Line();
        }

        foreach ((MemberModel member, string local) in all.Where(static m => m.Member.Assignment == MemberAssignment.Afterwards))
        {
            writer.Open($"if (has{local})");
            writer.Line($"value.@{member.Name} = m{local};");
            writer.Close();
            writer.Line();
        }

        writer.Line("return value;");

        string New(string[] initializers) =>
            $"new {model.Type}({arguments})" + (initializers.Length == 0 ? "" : $" {{ {string.Join(", ", initializers)} }}");

        IEnumerable<string> Assigned(MemberAssignment assignment, Func<(MemberModel Member, string Local), string> text) =>
            all.Where(m => m.Member.Assignment == assignment).Select(text);
    }

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);
}
