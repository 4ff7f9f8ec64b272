/** Completion for shells, written from the table of commands itself. */
import type { Command } from 'commander';
import { type Outcome, type Session, succeeded } from './session.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Options that a file or a directory follows. */
const FILES = ['-f', '--file', '-o', '--output', '--data'];

interface Place {
  /** The words before: `release submit`; empty at the start. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly about: string }[];
  /** Whether a file follows without an option before it. */
  readonly files: boolean;
}

export async function completionCommand(session: Session, shell: Shell, program: Command): Promise<Outcome> {
  const script = SCRIPTS[shell](placesOf(program, '', optionsOf(program)));
  session.say(script);
  return succeeded({ shell, script });
}

function placesOf(command: Command, path: string, global: Place['words']): Place[] {
  const inner = command.commands.map((sub) => ({ word: sub.name(), about: sub.description() }));
  const own = path === '' ? [] : optionsOf(command);
  return [
    {
      path,
      words: [...inner, ...own, ...global],
      files: command.registeredArguments.some((one) => one.name() === 'file'),
    },
    ...command.commands.flatMap((sub) => placesOf(sub, path === '' ? sub.name() : `${path} ${sub.name()}`, global)),
  ];
}

function optionsOf(command: Command): Place['words'] {
  return command.options.flatMap(({ long, description }) => (long == null ? [] : [{ word: long, about: description }]));
}

/** Single-quoted for any of the three shells: our words and descriptions have no quotes but these. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: (places) => `# renga: completion for bash. Add to ~/.bashrc:  eval "$(renga completion bash)"
_renga() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) case " ${commandPaths(places)} " in *",\${path:+$path }$word,"*) path="\${path:+$path }$word" ;; esac ;; esac
  done
  local words='' files=''
  case $path in
${places
  .map(({ path, words, files }) => {
    const names = quoted(words.map(({ word }) => word).join(' '));
    return `    ${quoted(path)}) words=${names}${files ? ' files=1' : ''} ;;`;
  })
  .join('\n')}
  esac
  case \${COMP_WORDS[COMP_CWORD-1]} in
    ${FILES.join('|')}) COMPREPLY=($(compgen -f -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current"; [ -z "$files" ] || compgen -f -- "$current")) ;;
  esac
  # Options only when they are asked for: what else can follow is more of use.
  case $current in -*) ;; *) COMPREPLY=($(printf '%s\\n' "\${COMPREPLY[@]}" | grep -v '^--')) ;; esac
}
complete -o filenames -F _renga renga
`,
  zsh: (places) => `#compdef renga
# renga: completion for zsh. Add to ~/.zshrc, after compinit:  eval "$(renga completion zsh)"
_renga() {
  local path='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in -*) ;; *) case " ${commandPaths(places)} " in *",\${path:+$path }$word,"*) path="\${path:+$path }$word" ;; esac ;; esac
  done
  local -a found
  local files=''
  case $path in
${places
  .map(({ path, words, files }) => {
    const items = words.map(({ word, about }) => quoted(`${word}:${about.replaceAll(':', ' -')}`));
    return `    ${quoted(path)}) found=(${items.join(' ')})${files ? ' files=1' : ''} ;;`;
  })
  .join('\n')}
  esac
  case $words[CURRENT-1] in
    ${FILES.join('|')}) _files ;;
    *) _describe 'renga' found; [[ -z $files ]] || _files ;;
  esac
}
compdef _renga renga
`,
  fish: (places) => `# renga: completion for fish. Save it as ~/.config/fish/completions/renga.fish
function __renga_at
  set -l path
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and continue
    contains -- (string join ' ' $path $word) ${places
      .slice(1)
      .map(({ path }) => quoted(path))
      .join(' ')}; and set path $path $word
  end
  test (string join ' ' $path) = "$argv[1]"
end
${places
  .flatMap(({ path, words }) =>
    words.map(({ word, about }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${quoted(word)}`;
      return `complete -c renga -n ${quoted(`__renga_at "${path}"`)} ${what} -d ${quoted(about)}`;
    }),
  )
  .join('\n')}
`,
};

/** Every path between commas, to ask a shell whether a word goes deeper into the table. */
function commandPaths(places: readonly Place[]): string {
  return `,${places
    .slice(1)
    .map(({ path }) => path)
    .join(',')},`;
}
