namespace TypeScriptClient;

public sealed class NoRoomException(int room) : Exception($"room {room} is taken")
{
    public int Room => room;
}
