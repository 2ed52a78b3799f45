namespace Ambrosia.InProcess.Tests.Sagas;

[ImmortalInterface]
public interface IDesk
{
    /// <summary>Takes three steps; a fourth one fails, and all are taken back.</summary>
    string Order(int attempts);

    /// <summary>What goes wrong when a saga is used in this way.</summary>
    string Misuse(string how);
}
