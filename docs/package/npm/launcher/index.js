// The path of the program, for callers that start it themselves: require('mxc-exec').path
exports.path = require.resolve(`mxc-exec-${process.platform}-${process.arch}/bin/mxc-exec`);
