/** What was read as YAML, written as YAML again: every reader takes each value for what it is. */
import { Document, Scalar, visit } from 'yaml';
import { misreading } from './scalars.ts';

/** A document as text that reads back as the same. */
export function yamlText(value: object): string {
  const document = new Document(value, { version: '1.1' });
  quoteMisread(document);
  return document.toString({ lineWidth: 0 });
}

/** Quotes what some reader would take for something else than text. */
export function quoteMisread(document: Document): void {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value !== 'string') return;
      if (misreading(node.value, node.value) !== undefined) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
}
