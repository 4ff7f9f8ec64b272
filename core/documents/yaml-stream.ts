/**
 * YAML text to node trees, without ever recursing deeper than the limit: the parser's own stack is watched while it
 * reads, and the composer, which recurses, is only given what stayed within.
 */
import { Composer, type Document, Lexer, Parser } from 'yaml';
import type { Problem } from '../errors.ts';
import { LIMITS } from './limits.ts';
import type { SourceText } from './source-text.ts';

type Read = { documents: Document.Parsed[] } | { problem: Problem };

const COLLECTIONS = new Set(['block-map', 'block-seq', 'flow-collection']);

export function readYaml(source: SourceText): Read {
  const parser = new Parser();
  const tokens: Parameters<Composer['compose']>[0] extends Iterable<infer Token> ? Token[] : never = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    count += 1;
    for (const token of parser.next(lexeme)) {
      if (token.type === 'directive' && !/^%YAML 1\.2\s*$/.test(token.source)) {
        return { problem: at(source, token.offset, directive(token.source)) };
      }
      tokens.push(token);
    }
    if (count > LIMITS.documentTokens) return { problem: at(source, parser.offset, TOO_MANY_TOKENS) };
    if (parser.stack.length > LIMITS.documentDepth && depth(parser.stack) > LIMITS.documentDepth) {
      return { problem: at(source, parser.offset, TOO_DEEP) };
    }
  }
  tokens.push(...parser.end());
  // Doubled keys are found while reading values: the composer's own search compares each key with all before it.
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false });
  return { documents: [...composer.compose(tokens, false, source.text.length)] };
}

function depth(stack: readonly { type: string }[]): number {
  return stack.filter((token) => COLLECTIONS.has(token.type)).length;
}

function at(source: SourceText, offset: number, problem: Omit<Problem, 'path' | 'position'>): Problem {
  return { ...problem, path: '', position: source.position(Math.min(offset, source.text.length)) };
}

export const TOO_DEEP = {
  code: 'too-deep',
  message: `nested deeper than ${LIMITS.documentDepth} levels`,
  hint: 'no document of renga needs that many; look for a bracket that is never closed',
} as const;

const TOO_MANY_TOKENS = {
  code: 'too-large',
  message: `the file has more than ${LIMITS.documentTokens} words and marks`,
  hint: 'split it, with `includes` or several releases',
} as const;

function directive(text: string) {
  return {
    code: 'directive',
    message: `the directive ${text.trim()} is refused: documents are read as YAML 1.2, without tags`,
    hint: 'remove the line',
  };
}
