namespace Ambrosia.Runtime;

/// <summary>A schedule of an immortal: state. It changes in turns only, by what the log says.</summary>
internal sealed class SavedSchedule(string name, ulong lsn, int index)
{
    private readonly string _name = name;
    private ulong _lsn = lsn;
    private int _index = index;
    private string _expression = "";
    private string _zone = "";
    private Missed _missed;
    private int _method;
    private byte[] _arguments = [];
    private long _after;
    private long _next;
    private long _last;
    private long _runs;
    private long _leftOut;
    private string _trouble = "";

    public string Name => _name;

    /// <summary>Record of the message that declared when it runs.</summary>
    public ulong Lsn => _lsn;

    /// <summary>Index of that message.</summary>
    public int Index => _index;

    public string Expression => _expression;

    /// <summary>Id of the time zone.</summary>
    public string Zone => _zone;

    public Missed Missed => _missed;

    /// <summary>The method that an occurrence calls.</summary>
    public int Method => _method;

    /// <summary>Its encoded arguments.</summary>
    public byte[] Arguments => _arguments;

    /// <summary>The next occurrence is the first after this instant, in ticks.</summary>
    public long After => _after;

    /// <summary>Ticks of the next occurrence; 0 while it is not chosen.</summary>
    public long Next => _next;

    public string Trouble => _trouble;

    /// <summary>Says when it runs. Where that is another time than before, the next occurrence is to be chosen again.</summary>
    public void RunAt(string expression, string zone, TurnClock clock)
    {
        if (_expression == expression && _zone == zone)
        {
            return;
        }

        (_expression, _zone) = (expression, zone);
        (_lsn, _index) = (clock.Lsn, clock.Index);
        _after = clock.LogTicks;
        _next = 0;
        _trouble = "";
    }

    /// <summary>Says what it runs.</summary>
    public void Call(int method, byte[] arguments, Missed missed)
    {
        (_method, _arguments, _missed) = (method, arguments, missed);
    }

    /// <summary>A step was logged that is this schedule's.</summary>
    public void Take(long run, long handled, long leftOut, long next, string trouble)
    {
        _after = Math.Max(_after, handled);
        _next = next;
        _trouble = trouble;
        _leftOut += leftOut;
        if (run > 0)
        {
            _last = run;
            _runs++;
        }
    }

    /// <summary>As its immortal sees it.</summary>
    public Schedule ToSchedule() => new()
    {
        Name = _name,
        Expression = _expression,
        TimeZone = _zone,
        Missed = _missed,
        Next = _next is 0 or OccurrenceRules.Never ? null : new DateTimeOffset(_next, TimeSpan.Zero),
        Last = _last == 0 ? null : new DateTimeOffset(_last, TimeSpan.Zero),
        Runs = _runs,
        LeftOut = _leftOut,
        Trouble = _trouble,
    };
}
