// The path of the program, for callers that start it themselves: require('mxc-exec').path
// The same as a shell: require('mxc-exec').shell
const fileOf = (name) => require.resolve(`mxc-exec-${process.platform}-${process.arch}/bin/${name}`);
exports.path = fileOf('mxc-exec');
exports.shell = fileOf('mxc-sh');
