using System.Globalization;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Protocol;

namespace Ambrosia.Inspection.Text;

/// <summary>
/// Names of methods and their parameters for the ids in a log: from contract files, and from the metadata of assemblies, whose code is
/// never loaded. What is not known is shown as its number.
/// </summary>
public sealed class MethodNames
{
    /// <summary>Name that a contract file has beside an app or a log.</summary>
    public const string ContractFile = "ImmortalContracts.txt";

    // Where a log store in files keeps what apps have told (docs/internals/log-format.md 2).
    private const string ToldFolder = "contracts";

    private const long LargestContract = 16 << 20;

    private const string InterfaceAttribute = "ImmortalInterfaceAttribute";
    private const string IdAttribute = "MethodIdAttribute";
    private readonly Dictionary<int, (string Name, string[] Parameters)> _methods = new()
    {
        [ReservedMethods.OnFirstStart] = ("OnFirstStart", []),
        [ReservedMethods.TimerFire] = ("timer", []),
        [ReservedMethods.InitialMessage] = ("InitialMessage", []),
        [ReservedMethods.EffectDone] = ("effect", []),
        [ReservedMethods.EffectNote] = ("note on effects", []),
        [ReservedMethods.ScheduleStep] = ("schedule", []),
        [ReservedMethods.AwakeableDone] = ("awakeable", []),
    };

    /// <summary>
    /// What a coordinator can know: contract files and assemblies in its own folder, which is the app's when it runs inside it, and in the
    /// one above when a build put it into <c>coordinator/</c> beside its app; and a contract file beside the log.
    /// </summary>
    /// <param name="logFolder">The instance's folder; null if its store is none.</param>
    /// <param name="told">What is kept in its store, if that is a service.</param>
    public static MethodNames OfCoordinator(string? logFolder, IEnumerable<string> told)
    {
        var names = new MethodNames();
        var here = new DirectoryInfo(AppContext.BaseDirectory);
        string app = here is { Name: "coordinator", Parent: { } parent } ? parent.FullName : here.FullName;
        names.AddContractIn(".");
        names.AddContractIn(app);
        names.AddContractsOf(logFolder);
        names.AddContracts(told);
        names.AddAssemblies(app);
        return names;
    }

    /// <summary>Methods known, the reserved ones not counted.</summary>
    public int Count => _methods.Count - 5;

    /// <summary>Whether names of parameters are known: contract files do not hold them.</summary>
    public bool KnowsParameters => _methods.Values.Any(static method => method.Parameters.Length > 0);

    /// <summary>The method's name, or its number.</summary>
    public string NameOf(int id) => TryNameOf(id) ?? id.ToString(CultureInfo.InvariantCulture);

    /// <summary>The method's name; null if it is not known.</summary>
    public string? TryNameOf(int id) => _methods.TryGetValue(id, out (string Name, string[] Parameters) method) ? method.Name : null;

    /// <summary>
    /// The name of the method that a message calls. JavaScript bindings of the original use two reserved ids of their own, with JSON.
    /// </summary>
    public string NameOf(int id, ReadOnlySpan<byte> body) =>
        !ReservedMethods.IsPost(id, body) ? NameOf(id) : id == ReservedMethods.OnFirstStart ? "post" : "post by impulse";

    /// <summary>Names of its parameters, as far as they are known.</summary>
    public IReadOnlyList<string> ParametersOf(int id) =>
        _methods.TryGetValue(id, out (string Name, string[] Parameters) method) ? method.Parameters : [];

    /// <summary>Whether a method that a person names is the one with this id.</summary>
    public bool IsNamed(int id, string name) =>
        string.Equals(NameOf(id), name, StringComparison.OrdinalIgnoreCase) || name == id.ToString(CultureInfo.InvariantCulture);

    /// <summary>
    /// Reads what lies beside a log: a contract file that somebody has put there, the contracts that its apps have told, newest first, and
    /// those beside the logs next to it, whose methods it calls.
    /// </summary>
    public void AddContractsOf(string? logFolder)
    {
        if (logFolder is null)
        {
            return;
        }

        AddContractIn(logFolder);
        AddToldIn(logFolder);
        foreach (string other in FoldersBeside(logFolder))
        {
            AddContractIn(other);
            AddToldIn(other);
        }
    }

    /// <summary>When a contract was last added beside a log, or beside those next to it.</summary>
    public static DateTime ChangeOfContracts(string? logFolder) => logFolder is null ? default
        : FoldersBeside(logFolder).Append(logFolder).Max(static folder => Directory.GetLastWriteTimeUtc(Path.Combine(folder, ToldFolder)));

    /// <summary>Reads the contract file of a folder, if it has one that can be read: without it methods are numbers.</summary>
    public void AddContractIn(string? folder)
    {
        if (folder is null)
        {
            return;
        }

        string path = Path.Combine(folder, ContractFile);
        try
        {
            if (new FileInfo(path) is { Exists: true, Length: > 0 and < LargestContract })
            {
                AddContract(path);
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // Being written, or not for this user.
        }
    }

    private void AddToldIn(string logFolder)
    {
        try
        {
            var folder = new DirectoryInfo(Path.Combine(logFolder, ToldFolder));
            IEnumerable<FileInfo> told = folder.Exists ? folder.EnumerateFiles("*.txt") : [];
            foreach (FileInfo file in told.OrderByDescending(static file => file.LastWriteTimeUtc)
                .Where(static file => file.Length is > 0 and < LargestContract))
            {
                AddContract(file.FullName);
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // Not for this user.
        }
    }

    // Folders of other instances in the same store: a log is one that has segments.
    private static IReadOnlyList<string> FoldersBeside(string logFolder)
    {
        try
        {
            string own = Path.TrimEndingDirectorySeparator(Path.GetFullPath(logFolder));
            return Path.GetDirectoryName(own) is { } store && Directory.Exists(store)
                ? [.. Directory.EnumerateDirectories(store).Where(folder => folder != own && Directory.Exists(Path.Combine(folder, "log")))
                    .Order(StringComparer.Ordinal)]
                : [];
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    /// <summary>Reads a contract file: <c>Shop.IBank 1426513567 Deposit(System.String,System.Decimal) -> System.Decimal</c>.</summary>
    public void AddContract(string path) => AddContractLines(File.ReadLines(path));

    /// <summary>Reads contracts that lie in a store, newest first.</summary>
    public void AddContracts(IEnumerable<string> texts)
    {
        foreach (string text in texts)
        {
            AddContractLines(text.Split('\n'));
        }
    }

    private void AddContractLines(IEnumerable<string> lines)
    {
        foreach (string line in lines)
        {
            string[] parts = line.Split(' ', 3);
            int open = parts.Length < 3 ? -1 : parts[2].IndexOf('(', StringComparison.Ordinal);
            if (open > 0 && !line.StartsWith('#') && int.TryParse(parts[1], NumberStyles.Integer, CultureInfo.InvariantCulture, out int id))
            {
                _methods.TryAdd(id, (parts[2][..open], []));
            }
        }
    }

    /// <summary>Reads an assembly, or all in a folder.</summary>
    public void AddAssemblies(string path)
    {
        string[] files = Directory.Exists(path) ? Directory.GetFiles(path, "*.dll") : [path];
        foreach (string file in files)
        {
            AddAssembly(file);
        }
    }

    /// <summary>
    /// Looks where an app's assemblies are likely to be: beside the program, or beside the assembly that <c>dotnet</c> is given.
    /// </summary>
    public void AddCommand(IReadOnlyList<string> command)
    {
        ArgumentNullException.ThrowIfNull(command);
        foreach (string word in command.Take(3))
        {
            string? folder = File.Exists(word) ? Path.GetDirectoryName(Path.GetFullPath(word)) : null;
            if (folder is not null && Directory.EnumerateFiles(folder, "*.dll").Any())
            {
                AddAssemblies(folder);
                return;
            }
        }
    }

    private void AddAssembly(string path)
    {
        try
        {
            using FileStream file = File.OpenRead(path);
            using var image = new PEReader(file);
            if (image.HasMetadata && image.GetMetadataReader() is var reader
                && (References(reader, "Ambrosia.CSharpBinding") || Defines(reader)))
            {
                AddInterfaces(reader);
            }
        }
        catch (Exception error) when (error is BadImageFormatException or IOException or UnauthorizedAccessException)
        {
            // A native library, or a file that is being written: it names no methods.
        }
    }

    private static bool References(MetadataReader reader, string assembly) =>
        reader.AssemblyReferences.Any(handle => reader.StringComparer.Equals(reader.GetAssemblyReference(handle).Name, assembly));

    private static bool Defines(MetadataReader reader) =>
        reader.StringComparer.Equals(reader.GetAssemblyDefinition().Name, "Ambrosia.CSharpBinding");

    private void AddInterfaces(MetadataReader reader)
    {
        Dictionary<string, string> signatures = Signatures(reader);
        foreach (TypeDefinitionHandle handle in reader.TypeDefinitions)
        {
            TypeDefinition type = reader.GetTypeDefinition(handle);
            if (!type.GetCustomAttributes().Any(attribute => NameOf(reader, attribute) == InterfaceAttribute))
            {
                continue;
            }

            foreach (MethodDefinitionHandle method in type.GetMethods())
            {
                AddMethod(reader, reader.GetMethodDefinition(method), signatures);
            }
        }
    }

    private void AddMethod(MetadataReader reader, MethodDefinition method, Dictionary<string, string> signatures)
    {
        string name = reader.GetString(method.Name);
        string[] parameters =
        [
            .. method.GetParameters().Select(reader.GetParameter).Where(static parameter => parameter.SequenceNumber > 0)
                .OrderBy(static parameter => parameter.SequenceNumber).Select(parameter => reader.GetString(parameter.Name)),
        ];
        foreach (CustomAttributeHandle attribute in method.GetCustomAttributes()
            .Where(attribute => NameOf(reader, attribute) == IdAttribute))
        {
            BlobReader blob = reader.GetBlobReader(reader.GetCustomAttribute(attribute).Value);
            blob.ReadUInt16(); // The prolog of every attribute's value.
            _methods[blob.ReadInt32()] = (name, parameters);
            return;
        }

        foreach (string signature in signatures.Keys.Where(signature => IsOf(signature, name, parameters.Length)))
        {
            _methods[IdOf(signature)] = (name, parameters);
        }
    }

    // The generated code holds each signature as text, "Deposit(System.String,System.Decimal) -> System.Decimal"; ids are hashes of it.
    private static Dictionary<string, string> Signatures(MetadataReader reader)
    {
        var found = new Dictionary<string, string>(StringComparer.Ordinal);
        for (UserStringHandle handle = FirstText(reader); !handle.IsNil; handle = reader.GetNextHandle(handle))
        {
            string text = reader.GetUserString(handle);
            int arrow = text.IndexOf(") -> ", StringComparison.Ordinal);
            if (arrow > 0)
            {
                found[text[..(arrow + 1)]] = text;
            }
        }

        return found;
    }

    private static UserStringHandle FirstText(MetadataReader reader) =>
        reader.GetHeapSize(HeapIndex.UserString) > 1 ? MetadataTokens.UserStringHandle(1) : default;

    private static bool IsOf(string signature, string name, int parameters)
    {
        if (!signature.StartsWith(name + "(", StringComparison.Ordinal))
        {
            return false;
        }

        string list = signature[(name.Length + 1)..^1];
        int depth = 0;
        int commas = 0;
        foreach (char c in list)
        {
            depth += c is '<' or '[' or '(' ? 1 : c is '>' or ']' or ')' ? -1 : 0;
            commas += c == ',' && depth == 0 ? 1 : 0;
        }

        return (list.Length == 0 ? 0 : commas + 1) == parameters;
    }

    private static int IdOf(string signature)
    {
        byte[] hash = SHA256.HashData(Encoding.UTF8.GetBytes(signature));
        for (int at = 0; at < hash.Length; at += 4)
        {
            int id = ((hash[at] & 0x7f) << 24) | (hash[at + 1] << 16) | (hash[at + 2] << 8) | hash[at + 3];
            if (id != 0)
            {
                return id;
            }
        }

        return 1;
    }

    private static string NameOf(MetadataReader reader, CustomAttributeHandle handle)
    {
        EntityHandle constructor = reader.GetCustomAttribute(handle).Constructor;
        if (constructor.Kind == HandleKind.MethodDefinition)
        {
            TypeDefinitionHandle own = reader.GetMethodDefinition((MethodDefinitionHandle)constructor).GetDeclaringType();
            return reader.GetString(reader.GetTypeDefinition(own).Name);
        }

        EntityHandle parent = reader.GetMemberReference((MemberReferenceHandle)constructor).Parent;
        return parent.Kind == HandleKind.TypeReference ? reader.GetString(reader.GetTypeReference((TypeReferenceHandle)parent).Name) : "";
    }
}
