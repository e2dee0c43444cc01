import type { Node } from 'web-tree-sitter';

/** A use of a variable, or a value given to it, and what that is made of. */
interface Flow {
  name: string;
  /** Number of the token among the text's. */
  at: number;
  relation: 'comesFrom' | 'computedFrom';
  fromNames: readonly string[];
  fromAt: readonly number[];
}

/** Where each variable got its value: several places after branches. */
type States = ReadonlyMap<string, readonly number[]>;

interface Token {
  at: number;
  text: string;
}

/** Of a tree deeper than this nothing is extracted: the reference runs out of Python's stack there. */
const deepestTree = 900;
/** Loops are gone through twice, so nested ones cost powers of two; a text that costs more gives nothing. */
const mostVisits = 1_000_000;

/**
 * The data flow of C by the rules that CodeBLEU's evaluators go by (Ren et al., 2020, section 3.3; for C they take those
 * of C#, as XLCoST does: declarations with a value and `++` have no rule of their own). Variables are named by the order
 * in which they come, so that texts are alike whatever their names. Where the reference orders names by Python's hashes,
 * which change from run to run, they stand here in the order they come.
 *
 * @returns a text for each edge: equal edges, equal texts
 */
export function dataFlow(root: Node): string[] {
  const tokens = new Map<string, Token>();
  if (!isWithinLimits(root)) return [];
  collectTokens(root, tokens);
  const [found] = flowsOf(root, new Map(), tokens);
  const used = new Set(found.flatMap(({ at, fromAt }) => (fromAt.length > 0 ? [at, ...fromAt] : [])));
  const flows = merge(
    found.filter(({ at }) => used.has(at)).sort((a, b) => a.at - b.at),
    ({ at }) => String(at),
  );
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return numbers.get(name)!;
  };
  return flows.map(({ name, relation, fromNames }) => {
    const from = fromNames.map(numberOf);
    return `${numberOf(name)} ${relation} ${from.join(' ')}`;
  });
}

/** Also false for an assignment without one of its sides, where the reference gives up. */
function isWithinLimits(root: Node): boolean {
  const open = [{ node: root, depth: 1, passes: 1 }];
  let visits = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth, passes } = next;
    visits += passes;
    if (depth > deepestTree || visits > mostVisits) return false;
    if (node.type === 'assignment_expression' && !sidesOf(node)) return false;
    const inside = node.type === 'while_statement' ? 2 * passes : passes;
    for (const child of childrenOf(node)) open.push({ node: child, depth: depth + 1, passes: inside });
  }
  return true;
}

function flowsOf(node: Node, states: States, tokens: ReadonlyMap<string, Token>): [Flow[], States] {
  if (isToken(node)) return flowsOfToken(node, states, tokens);
  switch (node.type) {
    case 'assignment_expression': {
      const [left, right] = sidesOf(node)!;
      const [flows, after] = flowsOf(right, states, tokens);
      const next = new Map(after);
      const values = variablesOf(right, tokens);
      for (const { text: name, at } of variablesOf(left, tokens)) {
        for (const value of values) {
          flows.push({ name, at, relation: 'computedFrom', fromNames: [value.text], fromAt: [value.at] });
        }
        next.set(name, [at]);
      }
      return [flows, next];
    }
    case 'if_statement':
      return flowsOfIf(node, states, tokens);
    case 'for_statement':
    case 'while_statement': {
      const passes = node.type === 'while_statement' ? 2 : 1;
      const children = Array.from({ length: passes }, () => childrenOf(node)).flat();
      const [flows, after] = inTurn(children, states, tokens);
      return [merge(flows, ({ name, at, relation }) => JSON.stringify([name, at, relation])), after];
    }
    default:
      return inTurn(childrenOf(node), states, tokens);
  }
}

function inTurn(nodes: readonly Node[], states: States, tokens: ReadonlyMap<string, Token>): [Flow[], States] {
  const flows: Flow[] = [];
  let after = states;
  for (const node of nodes) {
    const [found, next] = flowsOf(node, after, tokens);
    for (const flow of found) flows.push(flow);
    after = next;
  }
  return [flows, after];
}

function flowsOfToken(node: Node, states: States, tokens: ReadonlyMap<string, Token>): [Flow[], States] {
  const { text: name, at } = tokens.get(keyOf(node))!;
  if (node.type === name) return [[], states]; // a keyword or a sign
  const known = states.get(name);
  const from = known ? { fromNames: [name], fromAt: known } : { fromNames: [], fromAt: [] };
  const after = !known && node.type === 'identifier' ? new Map(states).set(name, [at]) : states;
  return [[{ name, at, relation: 'comesFrom', ...from }], after];
}

/** What comes first goes on in turn; an `if` right below, and all after it, start from the states before. */
function flowsOfIf(node: Node, states: States, tokens: ReadonlyMap<string, Token>): [Flow[], States] {
  const children = childrenOf(node);
  const branch = children.findIndex(({ type }) => type === 'if_statement' || type === 'else');
  const first = branch < 0 ? children.length : branch;
  const [flows, current] = inTurn(children.slice(0, first), states, tokens);
  const ends: States[] = [];
  for (const child of children.slice(first)) {
    const [found, end] = flowsOf(child, states, tokens);
    for (const flow of found) flows.push(flow);
    ends.push(end);
  }
  ends.push(current);
  if (!children.some(({ type }) => type.includes('else'))) ends.push(states);
  const joined = new Map<string, number[]>();
  for (const end of ends) for (const [name, at] of end) joined.set(name, [...(joined.get(name) ?? []), ...at]);
  for (const [name, at] of joined) joined.set(name, sortedUnique(at));
  return [flows, joined];
}

/** Joins flows of one key: the first of them, with what all of them come from. */
function merge(flows: readonly Flow[], keyOfFlow: (flow: Flow) => string): Flow[] {
  const merged = new Map<string, Flow>();
  for (const flow of flows) {
    const key = keyOfFlow(flow);
    const known = merged.get(key);
    merged.set(
      key,
      known
        ? {
            ...known,
            fromNames: [...new Set([...known.fromNames, ...flow.fromNames])],
            fromAt: sortedUnique([...known.fromAt, ...flow.fromAt]),
          }
        : flow,
    );
  }
  return [...merged.values()];
}

function sortedUnique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function variablesOf(node: Node, tokens: ReadonlyMap<string, Token>): Token[] {
  if (!isToken(node)) return childrenOf(node).flatMap((child) => variablesOf(child, tokens));
  const token = tokens.get(keyOf(node))!;
  return node.type === token.text ? [] : [token];
}

function collectTokens(node: Node, tokens: Map<string, Token>, counter = { next: 0 }): void {
  if (isToken(node)) tokens.set(keyOf(node), { at: counter.next++, text: node.text.replaceAll('\n', '') });
  else for (const child of childrenOf(node)) collectTokens(child, tokens, counter);
}

function isToken({ type, childCount }: Node): boolean {
  return type !== 'comment' && (childCount === 0 || type === 'string_literal');
}

function childrenOf(node: Node): Node[] {
  return isToken(node) ? [] : Array.from({ length: node.childCount }, (_, index) => node.child(index)!);
}

function sidesOf(node: Node): [left: Node, right: Node] | undefined {
  const [left, right] = [node.childForFieldName('left'), node.childForFieldName('right')];
  return left && right ? [left, right] : undefined;
}

/** Tokens of no width at one place are one. */
function keyOf({ startIndex, endIndex }: Node): string {
  return `${startIndex}:${endIndex}`;
}
