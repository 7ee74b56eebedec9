/** Code whose need of stack depends on its input, found in the syntax trees of the sources. */
import { join } from 'node:path'
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isBindingElement,
  isCallExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isNewExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isSpreadElement,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'
import { root } from './prose.ts'

/** Calls `use` with the syntax tree of each file below `src`. */
export function withSyntaxTrees(paths: readonly string[], use: (path: string, tree: SourceFile) => void): void {
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()
    for (const path of paths) use(path, project!.program.getSourceFile(join(root, 'src', path))!)
  } finally {
    api.close()
  }
}

/** A named function of a file. */
interface NamedFunction {
  readonly name: string
  readonly node: Node
  /** The statement or property whose comment describes it. */
  readonly described: Node
  readonly calls: Set<NamedFunction>
}

/** Returns the name of a function, and the node whose comment describes it; undefined for one without a name. */
function nameOf(node: Node): { readonly name: string; readonly described: Node } | undefined {
  if (isFunctionDeclaration(node) && node.name) return { name: node.name.text, described: node }
  if (isMethodDeclaration(node) && isIdentifier(node.name)) return { name: node.name.text, described: node }
  if (!isArrowFunction(node) && !isFunctionExpression(node)) return undefined
  const { parent } = node
  if (isVariableDeclaration(parent) && isIdentifier(parent.name)) {
    return { name: parent.name.text, described: parent.parent.parent }
  }
  return isPropertyAssignment(parent) && isIdentifier(parent.name)
    ? { name: parent.name.text, described: parent }
    : undefined
}

/** Returns the function that a name means at a node: the nearest declaration around it. */
function resolve(name: string, at: Node, declared: ReadonlyMap<Node, ReadonlyMap<string, NamedFunction | undefined>>) {
  for (let scope: Node | undefined = at; scope; scope = scope.parent) {
    const names = declared.get(scope)
    if (names?.has(name)) return names.get(name)
  }
  return undefined
}

/** Returns the nearest block, function or file around a node. */
function scopeOf(node: Node): Node {
  let { parent } = node
  while (parent.parent && parent.kind !== SyntaxKind.Block && !isFunction(parent)) parent = parent.parent
  return parent
}

const isFunction = (node: Node): boolean =>
  isFunctionDeclaration(node) || isMethodDeclaration(node) || isArrowFunction(node) || isFunctionExpression(node)

function functionsOf(tree: SourceFile): readonly NamedFunction[] {
  const functions = new Map<Node, NamedFunction>()
  const declared = new Map<Node, Map<string, NamedFunction | undefined>>()
  const declare = (scope: Node, name: string, found: NamedFunction | undefined): void => {
    const names = declared.get(scope) ?? new Map()
    if (!names.has(name) || found) names.set(name, found)
    declared.set(scope, names)
  }
  const collect = (node: Node): void => {
    const named = nameOf(node)
    if (named) {
      const found = { ...named, node, calls: new Set<NamedFunction>() }
      functions.set(node, found)
      const isProperty = isMethodDeclaration(node) || isPropertyAssignment(node.parent)
      if (!isProperty) declare(scopeOf(isFunctionDeclaration(node) ? node : node.parent), named.name, found)
    }
    const variable = isVariableDeclaration(node) || isParameterDeclaration(node) || isBindingElement(node)
    if (variable && node.name && isIdentifier(node.name)) {
      declare(scopeOf(node), node.name.text, undefined)
    }
    node.forEachChild(collect)
  }
  collect(tree)
  const connect = (node: Node, around: NamedFunction | undefined): void => {
    const inside = functions.get(node) ?? around
    if (inside && isIdentifier(node) && isUse(node)) {
      const target = resolve(node.text, node, declared)
      if (target) inside.calls.add(target)
    }
    node.forEachChild((child) => connect(child, inside))
  }
  connect(tree, undefined)
  return [...functions.values()]
}

/** Whether an identifier is the value of a variable, and not the name of a declaration, a property or a type. */
function isUse(node: Node): boolean {
  const { parent } = node
  if (isPropertyAccessExpression(parent) && parent.name === node) return false
  const { name, propertyName } = parent as { readonly name?: Node; readonly propertyName?: Node }
  if (propertyName === node) return false
  if (name === node && parent.kind !== SyntaxKind.ShorthandPropertyAssignment) return false
  return !/Type|Import|Export/.test(SyntaxKind[parent.kind]!)
}

/** Whether a function reaches another by calls. */
function reaches(from: NamedFunction, to: NamedFunction): boolean {
  const seen = new Set<NamedFunction>()
  const open = [...from.calls]
  for (let next = open.pop(); next; next = open.pop()) {
    if (next === to) return true
    if (!seen.has(next)) open.push(...next.calls)
    seen.add(next)
  }
  return false
}

/** Returns the recursive functions of a file, within it, whose comment does not state a bound: `Bounded by: …`. */
export function unboundedRecursion(tree: SourceFile): readonly string[] {
  return functionsOf(tree)
    .filter((one) => reaches(one, one))
    .filter(({ described }) => !/Bounded by:\s/.test(tree.text.slice(described.pos, described.getStart())))
    .map(({ name }) => name)
}

/** Returns the texts of calls with a spread list, which is put on the stack. */
export function spreadCalls(tree: SourceFile): readonly string[] {
  const found: string[] = []
  const visit = (node: Node): void => {
    if ((isCallExpression(node) || isNewExpression(node)) && node.arguments?.some((one) => isSpreadElement(one))) {
      found.push(node.getText().replace(/\s+/g, ' ').slice(0, 80))
    }
    node.forEachChild(visit)
  }
  visit(tree)
  return found
}

/** Returns the regular expressions that repeat a group without an upper bound: each repetition takes memory of the matcher. */
export function repeatedGroups(tree: SourceFile): readonly string[] {
  const found: string[] = []
  const visit = (node: Node): void => {
    if (node.kind === SyntaxKind.RegularExpressionLiteral && /[^\\]\)[*+]/.test(node.getText()))
      found.push(node.getText())
    node.forEachChild(visit)
  }
  visit(tree)
  return found
}
