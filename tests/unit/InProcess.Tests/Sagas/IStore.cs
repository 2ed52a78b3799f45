namespace Ambrosia.InProcess.Tests.Sagas;

[ImmortalInterface]
public interface IStore
{
    void Do(string what);

    string Undo(string what);

    void Refuse(int times);
}
