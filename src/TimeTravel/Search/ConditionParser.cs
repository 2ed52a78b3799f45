using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Ambrosia.Inspection.Text;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Search;

/// <summary>Reads conditions by recursive descent.</summary>
internal sealed partial class ConditionParser(string text, MethodNames names)
{
    private readonly List<string> _tokens = Cut(text);
    private int _at;
    private bool _needsState;

    /// <summary>The whole text as a condition.</summary>
    public Condition Parse()
    {
        Func<Condition.Scope, object?> condition = Or();
        return _at == _tokens.Count ? new Condition(condition, _needsState) : throw Wrong($"'{_tokens[_at]}' is not expected here");
    }

    private Func<Condition.Scope, object?> Or()
    {
        Func<Condition.Scope, object?> left = And();
        while (Take("or", "||"))
        {
            (Func<Condition.Scope, object?> first, Func<Condition.Scope, object?> second) = (left, And());
            left = scope => first(scope) is true || second(scope) is true;
        }

        return left;
    }

    private Func<Condition.Scope, object?> And()
    {
        Func<Condition.Scope, object?> left = Not();
        while (Take("and", "&&"))
        {
            (Func<Condition.Scope, object?> first, Func<Condition.Scope, object?> second) = (left, Not());
            left = scope => first(scope) is true && second(scope) is true;
        }

        return left;
    }

    private Func<Condition.Scope, object?> Not()
    {
        if (!Take("not", "!"))
        {
            return Comparison();
        }

        Func<Condition.Scope, object?> negated = Not();
        return scope => negated(scope) is not true;
    }

    private Func<Condition.Scope, object?> Comparison()
    {
        Func<Condition.Scope, object?> left = Value();
        if (_at >= _tokens.Count || _tokens[_at] is not ("==" or "!=" or "<" or "<=" or ">" or ">=" or "contains"))
        {
            return left;
        }

        string comparison = _tokens[_at++];
        Func<Condition.Scope, object?> right = Value();
        return comparison switch
        {
            "==" => scope => AreEqual(left(scope), right(scope)),
            "!=" => scope => !AreEqual(left(scope), right(scope)),
            "contains" => scope => Text(left(scope)).Contains(Text(right(scope)), StringComparison.OrdinalIgnoreCase),
            "<" => scope => Order(left(scope), right(scope)) < 0,
            "<=" => scope => Order(left(scope), right(scope)) <= 0,
            ">" => scope => Order(left(scope), right(scope)) > 0,
            _ => scope => Order(left(scope), right(scope)) >= 0,
        };
    }

    private Func<Condition.Scope, object?> Value()
    {
        if (_at >= _tokens.Count)
        {
            throw Wrong("it ends too early");
        }

        string token = _tokens[_at++];
        if (token == "(")
        {
            Func<Condition.Scope, object?> inner = Or();
            return Take(")", ")") ? inner : throw Wrong("a ')' is missing");
        }

        if (token[0] is '"' or '\'')
        {
            return _ => token[1..^1];
        }

        return decimal.TryParse(token, NumberStyles.Number, CultureInfo.InvariantCulture, out decimal number) ? _ => number : token switch
        {
            "true" => static _ => true,
            "false" => static _ => false,
            "null" => static _ => null,
            _ => Name(token),
        };
    }

    private Func<Condition.Scope, object?> Name(string name)
    {
        switch (name)
        {
            case "method":
                return scope => names.NameOf(scope.Message.MethodId);
            case "from":
                return static scope => scope.Message.From;
            case "kind":
                return static scope => scope.Message.Kind.Word();
            case "lsn":
                return static scope => (decimal)scope.Message.Position.Lsn;
            case "index":
                return static scope => (decimal)scope.Message.Position.Index;
            case "time":
                return static scope => scope.Message.Time.UtcDateTime.ToString("O", CultureInfo.InvariantCulture);
        }

        if (name.StartsWith("args", StringComparison.Ordinal))
        {
            string path = name[4..].TrimStart('.');
            if (path.Length > 0 && path[0] != '[' && !char.IsAsciiDigit(path[0]) && !names.KnowsParameters)
            {
                throw Wrong(
                    $"'{name}' names a parameter, and only the app's assembly knows their names: give it with --app, "
                    + "or write the argument's place, as in args[0]");
            }

            return scope => Argument(scope, path);
        }

        if (name.StartsWith("state", StringComparison.Ordinal))
        {
            _needsState = true;
            return scope => scope.State is { } state && StateText.Find(state, name) is { } value ? Plain(value) : null;
        }

        throw Wrong($"'{name}' is not a name; there are method, from, kind, lsn, index, time, args and state");
    }

    private object? Argument(Condition.Scope scope, string path)
    {
        if (MessagePackText.ToJson(scope.Message.Body) is not JsonArray arguments)
        {
            return null;
        }

        string[] parts = path.Replace("[", ".", StringComparison.Ordinal).Replace("]", "", StringComparison.Ordinal)
            .Split('.', StringSplitOptions.RemoveEmptyEntries);
        IReadOnlyList<string> parameters = names.ParametersOf(scope.Message.MethodId);
        JsonNode? value = arguments;
        for (int i = 0; i < parts.Length; i++)
        {
            int place = value is JsonArray ? int.TryParse(parts[i], out int number) ? number : i == 0 ? IndexOf(parameters, parts[i]) : -1
                : -1;
            value = value switch
            {
                JsonArray items when place >= 0 && place < items.Count => items[place],
                JsonObject members => members[parts[i]],
                _ => null,
            };
        }

        return value is null ? null : Plain(JsonSerializer.SerializeToElement(value));
    }

    private static int IndexOf(IReadOnlyList<string> parameters, string name)
    {
        for (int i = 0; i < parameters.Count; i++)
        {
            if (string.Equals(parameters[i], name, StringComparison.OrdinalIgnoreCase))
            {
                return i;
            }
        }

        return -1;
    }

    private static object? Plain(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.Number => value.TryGetDecimal(out decimal number) ? number : value.GetDouble(),
        JsonValueKind.String => value.GetString(),
        JsonValueKind.True => true,
        JsonValueKind.False => false,
        JsonValueKind.Null or JsonValueKind.Undefined => null,
        _ => StateText.Short(value),
    };

    private static bool AreEqual(object? left, object? right) => left is decimal && right is string || left is string && right is decimal
        ? Text(left) == Text(right)
        : Equals(left, right);

    // Null when they have no order: then no comparison holds.
    private static int? Order(object? left, object? right) => (left, right) switch
    {
        (decimal first, decimal second) => first.CompareTo(second),
        (string first, string second) => string.CompareOrdinal(first, second),
        _ => null,
    };

    private static string Text(object? value) => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "";

    private static List<string> Cut(string text) => [.. Tokens().Matches(text).Select(static match => match.Value)];

    private bool Take(string word, string sign)
    {
        if (_at < _tokens.Count && (_tokens[_at] == word || _tokens[_at] == sign))
        {
            _at++;
            return true;
        }

        return false;
    }

    private ReplayException Wrong(string why) => new($"'{text}' is not a condition: {why}.");

    [GeneratedRegex("""
        "[^"]*"|'[^']*'|==|!=|<=|>=|&&|\|\||[<>!()]|-?\d+(\.\d+)?|[^\s"'=!<>()&|]+
        """, RegexOptions.CultureInvariant)]
    private static partial Regex Tokens();
}
