using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Debugging;

/// <summary>Messages as people read them: <c>17:3 teller → Deposit(account: "alice", amount: 5)</c>.</summary>
public static class MessageText
{
    /// <summary>Where, when, from whom and what.</summary>
    public static string Line(LoggedMessage message, MethodNames names) =>
        $"{message.Position,-8} {message.Time:HH:mm:ss.fff}  {message.From} → "
        + $"{CallText.Call(message.Kind, message.MethodId, message.Body, names)}";

    /// <summary>To whom and what.</summary>
    public static string Line(SentMessage message, MethodNames names)
    {
        ArgumentNullException.ThrowIfNull(message);
        return $"→ {message.Destination}: {CallText.Call(message.Kind, message.MethodId, message.Body.Span, names)}";
    }

    /// <summary>Which effect was asked for, and with what.</summary>
    public static string Line(EffectAsked effect)
    {
        ArgumentNullException.ThrowIfNull(effect);
        return $"asks for effect {effect.Key}: {Call(effect)}";
    }

    /// <summary>The effect's method and its arguments.</summary>
    public static string Call(EffectAsked effect)
    {
        ArgumentNullException.ThrowIfNull(effect);
        string arguments = CallText.Json(effect.Arguments.Span);
        return arguments is ['[', .. var inner, ']'] ? $"{effect.Name}({inner})" : $"{effect.Name} {arguments}";
    }
}
