// What a shell completes, by the help of the commands, of which this is one itself.
import { type Command, command } from "../command.ts";
import { printDocument } from "../output.ts";

export const completionOf = (table: () => [name: string, Command][]): Command =>
  command({
    summary: "print a script that completes commands and flags in a shell",
    positionals: "bash | zsh | fish",
    flags: {},
    examples: {
      "source <(tailgate completion bash)": "in ~/.bashrc; with zsh in ~/.zshrc, after compinit",
      "tailgate completion fish > ~/.config/fish/completions/tailgate.fish": "once",
    },
    async run({ positionals: [shell = ""] }, { satellites }) {
      const { renderHelp } = await import("../help.ts");
      const { renderCompletion } = await satellites.completion();
      const helps = table().map(([name, one]) => [name, renderHelp(name, one)]);
      printDocument(renderCompletion(shell, Object.fromEntries(helps)));
      return 0;
    },
  });
