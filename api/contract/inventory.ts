import * as z from 'zod';
import { ArtifactView, Instant, pageOf, pageQuery } from './parts.ts';

export const InventoryItem = z
  .strictObject({
    application: z.string(),
    environment: z.string(),
    tenant: z.string().optional(),
    artifact: ArtifactView,
    deploy: z.string().describe('The deploy that is current.'),
    revision: z.int(),
    at: Instant.describe('Since when it is current.'),
  })
  .meta({ id: 'InventoryItem' });
export type InventoryItem = z.infer<typeof InventoryItem>;

export const InventoryList = pageOf(InventoryItem, 'InventoryList');
export type InventoryList = z.infer<typeof InventoryList>;

export const InventoryQuery = z.strictObject({
  application: z.string().min(1).max(63).optional(),
  environment: z.string().min(1).max(63).optional(),
  ...pageQuery,
});
