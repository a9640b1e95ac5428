/** The tools that do what a command of a repair does, by the beginning of the command. */
const TOOLS = [
  ['world list', 'list_worlds'],
  ['world create', 'create_world'],
  ['new world', 'new_world'],
  ['attempts', 'list_attempts'],
  ['attempt settle', 'settle_call'],
  ['attempt', 'get_attempt'],
  ['stop', 'stop_attempt'],
  ['run', 'run_turn'],
  ['put', 'put_documents'],
  ['list', 'list_components'],
  ['plugin list', 'list_plugins'],
] as const;

/** A command with its words: names in capitals, slugs, ids and options. */
const COMMAND =
  /\bchukwa ((?:new world|world \w+|plugin list|attempt settle|[a-z]+)\b)((?: (?:[A-Z]+\b|[\w-]*[\d-][\w-]*|--[a-z-]+))*)/g;

/** A repair in the words of who has no terminal: a tool in place of a command. A command without a tool stays. */
export function forTools(repair: string): string {
  return repair.replaceAll(COMMAND, (whole, command: string, words: string) => {
    if (words.includes('--queued')) return 'take_back_turns';
    return TOOLS.find(([begin]) => begin === command)?.[1] ?? whole;
  });
}
