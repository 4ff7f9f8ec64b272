/**
 * Runs before every test file: no test may reach AWS or any host but this one.
 * Credentials are dummies, and a socket to anything but loopback fails at once instead of timing out.
 */
import net from 'node:net';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'test';
process.env.AWS_REGION = 'eu-south-1';
process.env.AWS_ENDPOINT_URL = 'http://127.0.0.1:9';
process.env.AWS_EC2_METADATA_DISABLED = 'true';
delete process.env.AWS_PROFILE;
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|::1|\[::1\])$/;

type Connect = typeof net.Socket.prototype.connect;
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  const host = hostOf(first, args[1]);
  if (host !== undefined && !LOOPBACK.test(host)) {
    throw new Error(`a test tried to reach ${host}: only loopback is allowed`);
  }
  return Reflect.apply(connect, this, args) as net.Socket;
} as Connect;

function hostOf(first: unknown, second: unknown): string | undefined {
  if (typeof first === 'object' && first !== null) {
    if ('path' in first && typeof first.path === 'string') return undefined;
    return 'host' in first && typeof first.host === 'string' ? first.host : undefined;
  }
  return typeof first === 'number' && typeof second === 'string' ? second : undefined;
}
