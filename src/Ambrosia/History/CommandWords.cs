using System.Text;

namespace Ambrosia.Cli.History;

/// <summary>A command given as one text, cut into words as a shell would: by spaces outside of quotes.</summary>
internal static class CommandWords
{
    public static IReadOnlyList<string> Split(string text)
    {
        var words = new List<string>();
        var word = new StringBuilder();
        char quote = '\0';
        bool any = false;
        foreach (char c in text)
        {
            if (quote != '\0' ? c == quote : c is '"' or '\'')
            {
                quote = quote == '\0' ? c : '\0';
                any = true;
            }
            else if (c == ' ' && quote == '\0')
            {
                Take();
            }
            else
            {
                word.Append(c);
            }
        }

        Take();
        return words;

        void Take()
        {
            if (word.Length > 0 || any)
            {
                words.Add(word.ToString());
            }

            word.Clear();
            any = false;
        }
    }
}
