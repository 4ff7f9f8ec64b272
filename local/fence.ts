import type { AwsService } from './aws-service.ts';

/**
 * A service that can be cut off, as a killed process is: after `kill()` a new call does nothing, and no call ever answers,
 * also one that was under way (whose effect, as after a real crash, may or may not have happened).
 */
export function fence(inner: AwsService): { service: AwsService; kill(): void } {
  let alive = true;
  const service: AwsService = {
    target: inner.target,
    call: (operation, input) =>
      new Promise((resolve, reject) => {
        if (!alive) return;
        inner.call(operation, input).then(
          (output) => {
            if (alive) resolve(output);
          },
          (error) => {
            if (alive) reject(error);
          },
        );
      }),
  };
  return {
    service,
    kill() {
      alive = false;
    },
  };
}
