/** The definition of a module as plain data: services, genesis, hooks and block phases. */
import type {
  DescMessage,
  DescMethod,
  DescService,
  JsonValue,
  Message,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf'
import { create } from '@bufbuild/protobuf'
import type { GenService, GenServiceMethods } from '@bufbuild/protobuf/codegenv2'
import type { Context, HookListener, MigrationContext, ReadContext } from './context.ts'
import type { JsonNames } from './json.ts'
import type { ModuleAccount } from './module-account.ts'

/** A method of a service with its handler, as stored in the router and the query table. */
export interface Route<Ctx> {
  readonly method: DescMethod
  /** Takes a decoded message of `method.input` (or its init shape), returns one of `method.output`. */
  readonly handle: (ctx: Ctx, message: Message) => Message
}

interface Handlers<Ctx> {
  readonly service: DescService
  readonly routes: readonly Route<Ctx>[]
}

type HandlerTable<Methods extends GenServiceMethods, Ctx> = {
  readonly [Name in keyof Methods]: (
    ctx: Ctx,
    message: MessageShape<Methods[Name]['input']>,
  ) => MessageInitShape<Methods[Name]['output']>
}

/** Handlers as tests and other handlers call them: they take init shapes and return whole messages. */
type Callable<Methods extends GenServiceMethods, Ctx> = {
  readonly [Name in keyof Methods]: (
    ctx: Ctx,
    message: MessageInitShape<Methods[Name]['input']>,
  ) => MessageShape<Methods[Name]['output']>
}

export type MessageHandlers = { readonly handlers: Handlers<Context> }
export type QueryHandlers = { readonly handlers: Handlers<ReadContext> }

function define<Methods extends GenServiceMethods, Ctx>(
  service: GenService<Methods>,
  table: HandlerTable<Methods, Ctx>,
): Callable<Methods, Ctx> & { readonly handlers: Handlers<Ctx> } {
  const routes: Route<Ctx>[] = []
  const callable: Record<string, unknown> = {}
  for (const method of (service as unknown as DescService).methods) {
    const handler = table[method.localName] as Route<Ctx>['handle'] | undefined
    if (!handler) throw new TypeError(`no handler for ${method.parent.typeName}/${method.name}`)
    const handle: Route<Ctx>['handle'] = (ctx, message) =>
      create(method.output, handler(ctx, create(method.input, message as never)) as never)
    routes.push({ method, handle })
    callable[method.localName] = handle
  }
  const handlers: Handlers<Ctx> = { service: service as unknown as DescService, routes }
  return { ...callable, handlers } as Callable<Methods, Ctx> & { readonly handlers: Handlers<Ctx> }
}

/**
 * Defines the handlers of a Msg service, one per rpc. Each takes the decoded message and returns an init shape of its
 * response.
 */
export function defineMessages<Methods extends GenServiceMethods>(
  service: GenService<Methods>,
  table: HandlerTable<Methods, Context>,
): Callable<Methods, Context> & MessageHandlers {
  return define(service, table)
}

/** Defines the handlers of a Query service. Their context cannot write. */
export function defineQueries<Methods extends GenServiceMethods>(
  service: GenService<Methods>,
  table: HandlerTable<Methods, ReadContext>,
): Callable<Methods, ReadContext> & QueryHandlers {
  return define(service, table)
}

/** The stateless checks of a message type. Admission runs them before it deducts a fee. */
export interface Validation {
  readonly schema: DescMessage
  readonly check: (ctx: ReadContext, message: Message) => void
}

/** Declares the stateless checks of a message type. `check` throws the error of the first check that fails. */
export function validation<Desc extends DescMessage>(
  schema: Desc,
  check: (ctx: ReadContext, message: MessageShape<Desc>) => void,
): Validation {
  return { schema, check: check as Validation['check'] }
}

/** The context of a module's genesis. */
export type GenesisContext = Context & Pick<JsonNames, 'elements'>

/** A module's part of a genesis document. */
export interface GenesisHandlers {
  /** Returns the state of a new chain, as parsed JSON. */
  defaults(ctx: ReadContext): JsonValue
  /** Writes the state. Throws a `ChainError` if the document is invalid. */
  init(ctx: GenesisContext, state: JsonValue): void
  export(ctx: ReadContext): JsonValue
}

/** Rewrites a module's state from one consensus version to the next: reads with the older codecs, writes with the newer. */
type Migration = (ctx: MigrationContext) => void

export interface Module {
  readonly name: string
  /** Consensus version, which covers the layout of the module's state and its behaviour. */
  readonly version: number
  /** Migrations by their start version: key 1 migrates from 1 to 2. */
  readonly migrations: Readonly<Record<number, Migration>>
  /** Older editions of the module, oldest first, for state in which more than its codecs (`byVersion`) differed. */
  readonly editions: readonly Module[]
  /** Names of the stores that this module owns: `auth` owns `acc`. */
  readonly stores: readonly string[]
  readonly messages: readonly MessageHandlers[]
  readonly queries: readonly QueryHandlers[]
  readonly validations: readonly Validation[]
  readonly accounts: readonly ModuleAccount[]
  readonly hooks: readonly HookListener[]
  readonly genesis?: GenesisHandlers
  readonly beginBlock?: (ctx: Context) => void
  readonly endBlock?: (ctx: Context) => void
}

export interface ModuleDefinition {
  readonly name: string
  /** Consensus version; 1 by default. */
  readonly version?: number
  readonly migrations?: Readonly<Record<number, Migration>>
  readonly editions?: readonly Module[]
  /** Store names; the module's own name by default. */
  readonly stores?: readonly string[]
  readonly messages?: MessageHandlers | readonly MessageHandlers[]
  readonly queries?: QueryHandlers | readonly QueryHandlers[]
  readonly validations?: readonly Validation[]
  /** Module accounts whose capabilities this module has. */
  readonly accounts?: readonly ModuleAccount[]
  readonly hooks?: readonly HookListener[]
  readonly genesis?: GenesisHandlers
  readonly beginBlock?: (ctx: Context) => void
  readonly endBlock?: (ctx: Context) => void
}

function list<T>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T]
}

/** Completes a module definition with its defaults. */
export function defineModule(definition: ModuleDefinition): Module {
  return {
    ...definition,
    version: definition.version ?? 1,
    migrations: definition.migrations ?? {},
    editions: definition.editions ?? [],
    stores: definition.stores ?? [definition.name],
    messages: list(definition.messages),
    queries: list(definition.queries),
    validations: definition.validations ?? [],
    accounts: definition.accounts ?? [],
    hooks: definition.hooks ?? [],
  }
}
