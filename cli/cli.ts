/** The table of commands. What each does is in the file of its name; what it finds is the API's to say. */
import { Argument, Command, Option } from 'commander';
import { ReleaseState } from '../api/contract.ts';
import { Name, ReleaseId } from '../core/documents/names.ts';
import { CI_FORMATS } from '../files/ci-outcome.ts';
import packageJson from '../package.json' with { type: 'json' };
import { accessGetCommand, accessListCommand, accessRemoveCommand, whoamiCommand } from './access.ts';
import { ACCESS_KINDS, type ApplyOptions, applyCommand, diffCommand, ENVIRONMENT_KINDS } from './apply.ts';
import { bindings, count, milliseconds, named, port, words } from './arguments.ts';
import { auditCommand } from './audit.ts';
import { checkCommand } from './check.ts';
import { compileCommand } from './compile.ts';
import { completionCommand, SHELLS } from './completion.ts';
import { cancelDeployCommand, deployCommand } from './deploy.ts';
import {
  environmentGetCommand,
  environmentListCommand,
  environmentRemoveCommand,
  pipelineListCommand,
  pipelineRemoveCommand,
} from './environments.ts';
import { eventsCommand, sendEventCommand } from './events.ts';
import { GRAPH_FORMATS, graphCommand } from './graph.ts';
import { type ImportOptions, importCommand, TOOLS } from './import.ts';
import { inventoryCommand } from './inventory.ts';
import { logCommand } from './log.ts';
import { loginCommand, logoutCommand } from './login.ts';
import { planCommand } from './plan.ts';
import { releaseActionCommand, releaseRetryCommand } from './release-actions.ts';
import { releaseListCommand, releaseStatusCommand } from './release-status.ts';
import { submitReleaseCommand } from './release-submit.ts';
import { scheduleActionCommand, scheduleListCommand, scheduleShowCommand } from './schedules.ts';
import { DEFAULT_DATA, DEFAULT_SERVER, type Outcome, type Session } from './session.ts';
import { startCommand } from './start.ts';
import { statusCommand } from './status.ts';
import { approveCommand, historyCommand, promoteCommand, rejectCommand, rollbackCommand } from './steering.ts';
import { whyCommand } from './why.ts';

type Verb<Args extends readonly unknown[]> = (session: Session, ...args: Args) => Promise<Outcome | undefined>;

export interface Host {
  readonly columns: () => number;
  /** Help and version. */
  readonly print: (text: string) => void;
  /** What is wrong with the command line. */
  readonly complain: (text: string) => void;
  /** Runs what a command line asks for. */
  readonly work: (command: Command, verb: (session: Session) => Promise<Outcome | undefined>) => Promise<void>;
}

const EXIT_CODES = `

Exit codes:
  0  success
  1  unexpected: no server answers, a surprise
  2  invalid input: the command line, a file, an id that does not exist
  3  what was followed ended without success
  4  still running, at --timeout or Ctrl-C; it goes on
  5  refused: not permitted, or in conflict with what is there`;

export function commandTable(host: Host): Command {
  const program = new Command('renga')
    .description('Releases many services in the right order, and takes them back in reverse.')
    .exitOverride()
    .configureOutput({
      writeOut: host.print,
      writeErr: host.complain,
      getOutHelpWidth: host.columns,
      getErrHelpWidth: host.columns,
    })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(add --help to see how it is used)')
    .version(packageJson.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .option('--server <url>', `the server, else RENGA_URL (default: ${DEFAULT_SERVER})`)
    .option('--token <token>', 'who you are, else RENGA_TOKEN, renga login, the token file')
    .option('--data <directory>', `data of a local server, its token among it (default: ${DEFAULT_DATA})`)
    .option('--json', 'print one JSON document, and nothing else, on the standard output')
    .option('--no-color', 'no colours; NO_COLOR does the same');

  /** An action that runs a verb with a session in front of commander's own arguments. */
  const does =
    <Args extends readonly unknown[]>(verb: Verb<Args>) =>
    (...given: [...Args, Command]) => {
      const command = given.at(-1) as Command;
      return host.work(command, (session) => verb(session, ...(given.slice(0, -1) as unknown as Args)));
    };

  const release = new Option('-f, --file <file>', 'the release').makeOptionMandatory();
  const tags = new Option('--tags <tags>', 'only the deploys with one of these tags: a,b').argParser(words);
  const more = new Option('--with-dependencies', 'with --tags: also what the picked deploys wait for');
  const timeout = new Option('--timeout <duration>', 'stop following after that long; nothing is cancelled').argParser(
    milliseconds,
  );
  const ci = new Option('--ci <system>', 'write id, state and exports for it once it has ended').choices(CI_FORMATS);
  const ciFile = new Option('--ci-file <file>', 'where to; by default $GITHUB_OUTPUT, renga.env or renga.json');
  const noWait = new Option('--no-wait', 'end as soon as it is accepted');
  const watch = new Option('--watch', 'follow it until it has ended');
  const reason = new Option('--reason <text>', 'why; kept in the audit');

  program.commandsGroup('Before anything is done:');
  program
    .command('check')
    .description('check releases and deploys as a submission would; stores nothing')
    .requiredOption('-f, --file <files...>', 'files with one release or one deploy each')
    .option('--offline', 'only what the files say themselves, without a server')
    .addHelpText('after', examples('renga check -f release.yml', 'renga check -f release/*.yml --offline'))
    .action(does(checkCommand));
  program
    .command('plan')
    .description('print layers, order, waits, approvals, queues, rollback order, size and cost')
    .addOption(release)
    .addOption(tags)
    .addOption(more)
    .option('--offline', 'only what the file says itself, without a server')
    .addHelpText(
      'after',
      examples('renga plan -f release.yml', 'renga plan -f release.yml --tags data,api --with-dependencies'),
    )
    .action(does(planCommand));
  program
    .command('graph')
    .description('draw the release')
    .addOption(release)
    .addOption(new Option('--format <format>', 'default: by the ending of --output, else text').choices(GRAPH_FORMATS))
    .option('-o, --output <file>', 'write it there')
    .addOption(tags)
    .addOption(more)
    .addHelpText('after', examples('renga graph -f release.yml', 'renga graph -f release.yml -o release.svg'))
    .action(does(graphCommand));
  program
    .command('compile')
    .description('print the state machine of a release')
    .addOption(release)
    .addOption(tags)
    .addOption(more)
    .addHelpText('after', examples('renga compile -f release.yml > machine.asl.json'))
    .action(does(compileCommand));
  const imports = program
    .command('import')
    .description('make a release file of what another tool has, and say what it can not say')
    .helpCommand(false)
    .addHelpText('after', examples('renga import compose compose.yaml --environment prod -o release.yml'));
  for (const tool of TOOLS) {
    imports
      .command(tool)
      .description(`make a release file of a ${tool === 'compose' ? 'compose.yaml' : `${tool}.yaml`}`)
      .argument('<file>', 'the file, with those that it names below its directory')
      .addOption(
        new Option('--id <id>', "the release's id (default: from the file's or project's name)").argParser(
          named(ReleaseId),
        ),
      )
      .option('--environment <name>', 'where it is released to; needed, unless the file has only one')
      .addOption(new Option('--tenant <name>', 'whose it is').argParser(named(Name)))
      .addOption(
        new Option('--plugin <name>', 'what carries the deploys out').argParser(named(Name)).default('command'),
      )
      .option('--artifact-version <version>', 'of artifacts whose version the file does not say')
      .option('-o, --output <file>', 'write it there')
      .option('--force', 'with --output: write over what is there')
      .addHelpText('after', examples(`renga import ${tool} ${tool}.yaml --environment prod -o release.yml`))
      .action(does((session, file: string, options: ImportOptions) => importCommand(session, tool, file, options)));
  }

  program.commandsGroup('Doing it:');
  const releases = program
    .command('release')
    .description('submit and steer releases')
    .helpCommand(false)
    .addHelpText('after', examples('renga release submit -f release.yml', 'renga release status shop-2026-10 --watch'));
  releases
    .command('submit')
    .description('submit a release and follow it until it has ended')
    .addOption(release)
    .addOption(tags)
    .addOption(more)
    .addOption(noWait)
    .addOption(timeout)
    .addOption(ci)
    .addOption(ciFile)
    .addHelpText(
      'after',
      examples('renga release submit -f release.yml', 'renga release submit -f release.yml --timeout 10m --json'),
    )
    .action(does(submitReleaseCommand));
  releases
    .command('status')
    .description('a release and each of its deploys')
    .argument('<id>', 'id of the release')
    .addOption(watch)
    .addOption(timeout)
    .addHelpText('after', examples('renga release status shop-2026-10 --watch'))
    .action(does(releaseStatusCommand));
  releases
    .command('list')
    .description('releases, newest first')
    .addOption(new Option('--state <state>', 'only those').choices(ReleaseState.options))
    .addOption(new Option('--limit <count>', 'at most that many').argParser(count).default(20))
    .addHelpText('after', examples('renga release list --state PENDING'))
    .action(does(releaseListCommand));
  const actions = [
    ['cancel', 'nothing new starts, and what runs is stopped'],
    ['pause', 'nothing new starts, what runs finishes'],
    ['resume', 'go on with a paused release'],
  ] as const;
  for (const [action, about] of actions) {
    releases
      .command(action)
      .description(about)
      .argument('<id>', 'id of the release')
      .addOption(reason)
      .addHelpText('after', examples(`renga release ${action} shop-2026-10 --reason "incident 4711"`))
      .action(
        does((session, id: string, options: { reason?: string }) => releaseActionCommand(session, action, id, options)),
      );
  }
  releases
    .command('retry')
    .description('try again what ended without success, and follow it; what succeeded and is current stays')
    .argument('<id>', 'id of the release')
    .addOption(reason)
    .addOption(noWait)
    .addOption(timeout)
    .addHelpText('after', examples('renga release retry shop-2026-10'))
    .action(does(releaseRetryCommand));
  program
    .command('deploy')
    .description('submit one deploy and follow it until it has ended')
    .requiredOption('-f, --file <file>', 'the deploy')
    .option('--after <ids...>', 'deploys that must succeed first, added to its own', [])
    .addOption(
      new Option('--import <name=id>', 'bind an import to a deploy; any number of times')
        .argParser(bindings)
        .default([]),
    )
    .addOption(noWait)
    .addOption(timeout)
    .addOption(ci)
    .addOption(ciFile)
    .addHelpText(
      'after',
      examples('renga deploy -f api.yml', 'renga deploy -f api.yml --import infra=infra-42 --timeout 10m'),
    )
    .action(does(deployCommand));
  program
    .command('cancel')
    .description('cancel a deploy; one that runs is stopped')
    .argument('<deploy>', 'id of the deploy')
    .addOption(reason)
    .addHelpText('after', examples('renga cancel shop-2026-10.api', 'renga release cancel shop-2026-10'))
    .action(does(cancelDeployCommand));

  program
    .command('approve')
    .description('approve a deploy that asks for it')
    .argument('<deploy>', 'id of the deploy')
    .addOption(reason)
    .addHelpText('after', examples('renga approve shop-api-42'))
    .action(does(approveCommand));
  program
    .command('reject')
    .description('reject a deploy that asks for approval: it ends')
    .argument('<deploy>', 'id of the deploy')
    .addOption(new Option('--reason <text>', 'why; whoever submitted it is told').makeOptionMandatory())
    .addHelpText('after', examples('renga reject shop-api-42 --reason "after the sale"'))
    .action(does(rejectCommand));
  const newId = new Option('--id <id>', 'of the new deploy; generated when absent');
  const override = new Option('--freeze-override <reason>', 'why it goes on during a freeze');
  program
    .command('rollback')
    .description('put the version before back, or another that was there, and follow it')
    .argument('<what>', 'id of the current deploy; or an application, with --environment')
    .option('--environment <name>', 'where the application is')
    .option('--tenant <name>', 'whose it is')
    .option('--artifact <name>', 'which, where several are current')
    .option('--to <version>', 'a version that was there, or revision:<number>; see renga history')
    .addOption(newId)
    .addOption(override)
    .addOption(noWait)
    .addOption(timeout)
    .addHelpText(
      'after',
      examples('renga rollback shop-api --environment prod', 'renga rollback shop-api-2.4.0-prod --to 2.3.0'),
    )
    .action(does(rollbackCommand));
  program
    .command('promote')
    .description('deploy what succeeded in one environment to another, and follow it')
    .argument('<deploy>', 'id of the deploy')
    .requiredOption('--to <environment>', 'where to')
    .addOption(newId)
    .addOption(override)
    .addOption(noWait)
    .addOption(timeout)
    .addHelpText('after', examples('renga promote shop-api-2.4.0-staging --to prod'))
    .action(does(promoteCommand));

  const schedules = program
    .command('schedule')
    .description('deploys that are submitted again and again')
    .helpCommand(false)
    .addHelpText('after', examples('renga deploy -f nightly.yml', 'renga schedule list'));
  schedules
    .command('list')
    .description('schedules, newest first')
    .addHelpText('after', examples('renga schedule list'))
    .action(does(scheduleListCommand));
  schedules
    .command('show')
    .description('a schedule, its next times, and what came of the last')
    .argument('<id>', 'id of the schedule')
    .addHelpText('after', examples('renga schedule show nightly'))
    .action(does(scheduleShowCommand));
  for (const [action, about] of [
    ['pause', 'submit nothing until it is resumed'],
    ['resume', 'go on; what was missed is not made up for'],
    ['delete', 'submit nothing any more; its id stays taken'],
  ] as const) {
    schedules
      .command(action)
      .description(about)
      .argument('<id>', 'id of the schedule')
      .addHelpText('after', examples(`renga schedule ${action} nightly`))
      .action(does((session, id: string) => scheduleActionCommand(session, action, id)));
  }

  program.commandsGroup('Looking:');
  program
    .command('status')
    .description('a release or a deploy')
    .argument('<id>', 'id of the release or the deploy')
    .addOption(watch)
    .addOption(timeout)
    .addHelpText('after', examples('renga status shop-2026-10', 'renga status shop-2026-10.api --watch'))
    .action(does(statusCommand));
  program
    .command('why')
    .description('what it waits for or why it ended, since when, and who can unblock it')
    .argument('<id>', 'id of the release or the deploy')
    .addHelpText('after', examples('renga why shop-2026-10.api'))
    .action(does(whyCommand));
  program
    .command('log')
    .description('the log of a deploy')
    .argument('<deploy>', 'id of the deploy')
    .option('--follow', 'print what is added until the deploy has ended')
    .option('--job <key>', 'of this job of it, such as step-smoke, deploy-2 or verify-1; `renga status` lists them')
    .addHelpText('after', examples('renga log shop-2026-10.api --follow', 'renga log shop-2026-10.api --job deploy-2'))
    .action(does(logCommand));
  program
    .command('inventory')
    .description('what is current, per environment, application and artifact')
    .option('--application <name>', 'only this one')
    .option('--environment <name>', 'only this one')
    .addHelpText('after', examples('renga inventory --environment prod'))
    .action(does(inventoryCommand));

  program
    .command('history')
    .description('what was deployed to an application in an environment, newest first')
    .argument('<application>', 'the application')
    .requiredOption('--environment <name>', 'where')
    .option('--tenant <name>', 'whose')
    .option('--artifact <name>', 'only this one')
    .addOption(new Option('--limit <count>', 'at most that many').argParser(count).default(20))
    .addHelpText('after', examples('renga history shop-api --environment prod'))
    .action(does(historyCommand));
  program
    .command('audit')
    .description('what was decided, by whom and why: of one deploy or release, or of everything')
    .argument('[id]', 'id of the release or the deploy; without it everything, newest first')
    .option('--application <name>', 'only about this one')
    .option('--environment <name>', 'only about this one')
    .option('--by <subject>', 'only what this one decided')
    .addOption(new Option('--limit <count>', 'at most that many').argParser(count).default(50))
    .addHelpText('after', examples('renga audit shop-2026-10', 'renga audit --environment prod --by ada'))
    .action(does(auditCommand));
  program
    .command('whoami')
    .description('who the server takes you for, and what you may')
    .addHelpText('after', examples('renga whoami'))
    .action(does(whoamiCommand));

  const events = program
    .command('events')
    .description('events that came in from other pipelines, and what became of each; sending one')
    .addHelpText('after', examples('renga events --refused', 'renga events send -f event.json'));
  events
    .command('list', { isDefault: true })
    .description('the events that came in, newest first')
    .option('--refused', 'only those that were refused')
    .addOption(new Option('--limit <count>', 'at most that many').argParser(count).default(50))
    .addHelpText('after', examples('renga events', 'renga events list --refused'))
    .action(does(eventsCommand));
  events
    .command('send')
    .description('put an event on the bus, to try what it does')
    .requiredOption('-f, --file <file>', 'the event in JSON or YAML: source, detail-type, detail')
    .addOption(
      new Option('--bus <bus>', 'which; AWS lets nobody put events of its own services').choices(['renga', 'default']),
    )
    .addHelpText(
      'after',
      examples(
        'renga events send -f examples/events/deploy-started.json',
        'renga events send -f examples/events/codepipeline-started.json --bus default',
      ),
    )
    .action(does(sendEventCommand));

  program.commandsGroup('What holds:');
  const documents = new Option('-f, --file <files...>', 'files with one or several documents').makeOptionMandatory();
  const environments = program
    .command('env')
    .description('environments, configurations of applications in them, other pipelines')
    .helpCommand(false)
    .addHelpText('after', examples('renga env apply -f environments/prod.yml', 'renga env get prod'));
  environments
    .command('apply')
    .description('put Environment, EnvironmentConfig and Pipeline documents in place')
    .addOption(documents)
    .addHelpText('after', examples('renga env apply -f environments/*.yml'))
    .action(does((session, options: ApplyOptions) => applyCommand(session, ENVIRONMENT_KINDS, options)));
  environments
    .command('diff')
    .description('what applying them would change; exit code 3 when it is anything')
    .addOption(documents)
    .addHelpText('after', examples('renga env diff -f environments/*.yml'))
    .action(does((session, options: ApplyOptions) => diffCommand(session, ENVIRONMENT_KINDS, options)));
  environments
    .command('list')
    .description('environments by name')
    .addHelpText('after', examples('renga env list'))
    .action(does(environmentListCommand));
  environments
    .command('get')
    .description('the documents of an environment, as they can be applied again')
    .argument('<environment>', 'its name')
    .option('--application <name>', 'only the configuration of this application')
    .addHelpText('after', examples('renga env get prod', 'renga env get prod --application shop-api > shop-api.yml'))
    .action(does(environmentGetCommand));
  environments
    .command('remove')
    .description('take the configuration of an application in an environment away')
    .argument('<environment>', 'its name')
    .requiredOption('--application <name>', 'the application')
    .option('--tenant <name>', 'of this tenant')
    .addHelpText('after', examples('renga env remove prod --application shop-api'))
    .action(does(environmentRemoveCommand));
  environments
    .command('pipelines')
    .description('other pipelines whose runs count as deploys')
    .addHelpText('after', examples('renga env pipelines'))
    .action(does(pipelineListCommand));
  environments
    .command('remove-pipeline')
    .description('runs of a pipeline count as deploys no longer')
    .argument('<pipeline>', 'its name, such as codepipeline:shop-infra')
    .addHelpText('after', examples('renga env remove-pipeline codepipeline:shop-infra'))
    .action(does(pipelineRemoveCommand));
  const access = program
    .command('access')
    .description('who may do what')
    .helpCommand(false)
    .addHelpText('after', examples('renga access apply -f access.yml', 'renga whoami'));
  access
    .command('apply')
    .description('put documents of access in place')
    .addOption(documents)
    .addHelpText('after', examples('renga access apply -f access.yml'))
    .action(does((session, options: ApplyOptions) => applyCommand(session, ACCESS_KINDS, options)));
  access
    .command('diff')
    .description('what applying them would change; exit code 3 when it is anything')
    .addOption(documents)
    .addHelpText('after', examples('renga access diff -f access.yml'))
    .action(does((session, options: ApplyOptions) => diffCommand(session, ACCESS_KINDS, options)));
  access
    .command('list')
    .description('the documents of access')
    .addHelpText('after', examples('renga access list'))
    .action(does(accessListCommand));
  access
    .command('get')
    .description('a document of access, as it can be applied again')
    .argument('<name>', 'its name')
    .addHelpText('after', examples('renga access get shop-team'))
    .action(does(accessGetCommand));
  access
    .command('remove')
    .description('take a document of access away, and what it gives')
    .argument('<name>', 'its name')
    .addHelpText('after', examples('renga access remove shop-team'))
    .action(does(accessRemoveCommand));

  program.commandsGroup('This computer:');
  program
    .command('login')
    .description('keep a token for the server, in your config directory')
    .requiredOption('--token-stdin', 'read it from the standard input')
    .addHelpText('after', examples('renga login --server https://renga.example.org --token-stdin < token.txt'))
    .action(does((session) => loginCommand(session)));
  program
    .command('logout')
    .description('forget the token that is kept for the server')
    .addHelpText('after', examples('renga logout --server https://renga.example.org'))
    .action(does((session) => logoutCommand(session)));
  program
    .command('start')
    .description('run the embedded server, on loopback, until Ctrl-C')
    .addOption(new Option('--port <port>', 'to listen at; 0 takes a free one').argParser(port).default(4080))
    .addHelpText('after', examples('renga start', 'renga start --port 4081 --data /var/lib/renga'))
    .action(does(startCommand));
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', examples('eval "$(renga completion bash)"'))
    .action(does((session, shell: (typeof SHELLS)[number]) => completionCommand(session, shell, program)));

  return program.addHelpText(
    'after',
    `${examples('renga start', 'renga release submit -f examples/shop/release.yml')}${EXIT_CODES}`,
  );
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
