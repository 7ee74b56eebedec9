/** What a module is: its services, genesis, hooks and block phases, as plain data. */
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
import type { ModuleAccount } from './module-account.ts'

/** A method of a service with its handler, as the router and the query table hold it. The message is a decoded one. */
export interface Route<Ctx> {
  readonly method: DescMethod
  /** Takes a message of `method.input` (or its init shape), answers one of `method.output`. */
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

/** The handlers as tests and other handlers call them: init shapes in, whole messages out. */
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

/** The handlers of a Msg service: one per rpc, each from the decoded message to an init shape of its response. */
export function defineMessages<Methods extends GenServiceMethods>(
  service: GenService<Methods>,
  table: HandlerTable<Methods, Context>,
): Callable<Methods, Context> & MessageHandlers {
  return define(service, table)
}

/** The handlers of a Query service. Their context cannot write. */
export function defineQueries<Methods extends GenServiceMethods>(
  service: GenService<Methods>,
  table: HandlerTable<Methods, ReadContext>,
): Callable<Methods, ReadContext> & QueryHandlers {
  return define(service, table)
}

/** The checks of a message that need no state; admission runs them before any fee is taken. */
export interface Validation {
  readonly schema: DescMessage
  readonly check: (ctx: ReadContext, message: Message) => void
}

/** Declares the stateless checks of a message type. They throw the error of the first that fails. */
export function validation<Desc extends DescMessage>(
  schema: Desc,
  check: (ctx: ReadContext, message: MessageShape<Desc>) => void,
): Validation {
  return { schema, check: check as Validation['check'] }
}

/** A module's part of a genesis document. */
export interface GenesisHandlers {
  /** Of a new chain, as parsed JSON. */
  defaults(ctx: ReadContext): JsonValue
  /** Writes the state. Throws a `ChainError` for anything invalid. */
  init(ctx: Context, state: JsonValue): void
  export(ctx: ReadContext): JsonValue
}

/** Rewrites a module's state from one consensus version to the next. Reads by the older codecs, writes by the newer. */
type Migration = (ctx: MigrationContext) => void

export interface Module {
  readonly name: string
  /** Consensus version: of the layout of its state and of what it does. */
  readonly version: number
  /** By the version that each leads away from: 1 is from 1 to 2. */
  readonly migrations: Readonly<Record<number, Migration>>
  /** The module as it was, for states of those versions, where more than its codecs (`byVersion`) was another. Oldest first. */
  readonly editions: readonly Module[]
  /** Store names this module owns, in addition to none by default: `auth` owns `acc`. */
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
  /** Module accounts whose capabilities this module holds. */
  readonly accounts?: readonly ModuleAccount[]
  readonly hooks?: readonly HookListener[]
  readonly genesis?: GenesisHandlers
  readonly beginBlock?: (ctx: Context) => void
  readonly endBlock?: (ctx: Context) => void
}

function list<T>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T]
}

/** Everything a module is, on one screen. */
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
