import type { Export } from '../../../core/documents/deploy.ts';

export function text(from: string, pattern: string): Export {
  return { from, format: 'string', pattern, public: false };
}

export function targets(from: string, pattern?: string): Export {
  return { from, format: 'targets', ...(pattern !== undefined && { pattern }), public: false };
}
