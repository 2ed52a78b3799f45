namespace Ambrosia.InProcess.Tests.Schedules;

[ImmortalInterface]
public interface INightly
{
    /// <summary>Declares a schedule that notes its occurrences.</summary>
    void Plan(string name, string expression, string zone, Missed missed, string note);

    /// <summary>The same, with all defaults.</summary>
    void PlanUtc(string name, string expression, string note);

    /// <summary>Ends one.</summary>
    bool Cancel(string name);

    /// <summary>What a schedule calls.</summary>
    void Run(string note);

    /// <summary>What goes wrong when a schedule is declared in this way.</summary>
    string Misuse(string how);

    /// <summary>How a schedule stands.</summary>
    string Look(string name);

    /// <summary>The same, as a query.</summary>
    [Query]
    string Peek(string name);
}
