using Ambrosia.PlantedBugs;

const string usage = """
    PlantedBugs list                              the bugs and who is expected to notice them
    PlantedBugs plant PROJECT FOLDER              copies of the project's sources with the bugs in them (called by the build)
    PlantedBugs try REPOSITORY HARNESS            runs one harness, in this process, with the bug that AMBROSIA_PLANTED_BUG names
    PlantedBugs serve REPOSITORY                  the same for each line BUG, tab, HARNESS that it reads
    PlantedBugs hunt REPOSITORY [NAME...]         runs every bug (or these) against its harnesses and prints which noticed it
    PlantedBugs hunt REPOSITORY --share 2/3       the same for one of three equal shares of them

    HARNESS is the name of a test project without its ".Tests", a space, and a test class or CLASS.BEGINNING-OF-A-METHOD.
    """;

try
{
    List<Bug> bugs = Bug.ReadAll(Path.Combine(AppContext.BaseDirectory, "Bugs"));
    switch (args)
    {
        case ["list"]:
            foreach (Bug bug in bugs)
            {
                Console.WriteLine($"{bug.Name}\n  {bug.Sentence}\n  {(bug.IsDecoy ? "not " : "")}caught by "
                    + $"{string.Join(", ", bug.Harnesses)}");
            }

            return 0;
        case ["plant", string project, string target]:
            Planter.Plant(bugs, project, target);
            return 0;
        case ["try", string repository, string harness]:
            return await new TestRunner(repository, Console.Out).RunAsync(Harness.Parse(harness));
        case ["serve", string repository]:
            return await TestRunner.ServeAsync(repository);
        case ["hunt", string repository, "--share", string share]:
            return await new Hunt(repository, bugs).RunAsync(Share.Parse(share));
        case ["hunt", string repository, .. string[] names]:
            return await new Hunt(repository, bugs).RunAsync(names);
        default:
            Console.Error.WriteLine(usage);
            return 64;
    }
}
catch (BugFileException error)
{
    Console.Error.WriteLine($"planted bugs: {error.Message}");
    return 65;
}
